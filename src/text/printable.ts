// Text made fit to show: nothing that a terminal would obey, of bounded length, in lines of a width, ended as a sentence.

// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces control characters, line breaks and turns of writing direction: names may hold anything. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '?').toWellFormed()
}

/** Ends a sentence.
 *  @param text without its full stop, but a question has its mark */
export function asSentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`
}

/** "a, b and c". @param items at least two */
export function listed(items: readonly string[], word: 'and' | 'or' = 'and'): string {
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)!}`
}

/** Cuts a text to `max` characters, the last one `…` if some were left out. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text
}

/** Breaks a text into lines at spaces; a word that is longer than a line stands alone.
 *  @param indent in front of every line but the first */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = []
  const start = /^ */.exec(text)![0]
  let line = start
  for (const word of printable(text.trimStart()).split(' ')) {
    const longer = line === start ? line + word : `${line} ${word}`
    if (longer.length <= width || line.trim() === '') line = longer
    else {
      lines.push(line)
      line = indent + word
    }
  }
  return [...lines, line].join('\n')
}
