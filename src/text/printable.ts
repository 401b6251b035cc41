// Makes text fit to show: without what a terminal would obey, of bounded length, in lines of a width, ended as a sentence.

// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces control characters, line breaks and turns of writing direction by `?`, because names may hold anything. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '?').toWellFormed()
}

/** Ends a sentence by a full stop, unless it is a question.
 *  @param text has no full stop; a question has its mark */
export function asSentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`
}

/** Lists items as words: "a, b and c". @param items at least two */
export function listed(items: readonly string[], word: 'and' | 'or' = 'and'): string {
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)!}`
}

/** Cuts a text to `max` characters, of which the last is `…` if some were left out. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text
}

/** Makes a text printable, and breaks it into lines at spaces. A word longer than a line stands alone, and leading spaces stay.
 *  @param indent put in front of every line but the first */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = []
  const firstIndent = /^ */.exec(text)![0]
  let line = firstIndent
  for (const word of printable(text.trimStart()).split(' ')) {
    const longer = line === firstIndent ? line + word : `${line} ${word}`
    if (longer.length <= width || line.trim() === '') line = longer
    else {
      lines.push(line)
      line = indent + word
    }
  }
  return [...lines, line].join('\n')
}
