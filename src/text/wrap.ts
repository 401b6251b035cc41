// Text in lines of a width. Knows nothing of what it says.

import { printable } from './printable.ts'

/** Breaks at spaces; a word that is longer than a line stands alone.
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
