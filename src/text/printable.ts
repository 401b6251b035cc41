// Text made fit to show: nothing that a terminal would obey, of bounded length, in lines of a width, ended as a sentence.

// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Without control characters, line breaks and turns of writing direction: names may hold anything. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '?').toWellFormed()
}

/** @param text without its end, but a question has its mark */
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

// How many columns of a terminal a text takes, and rows as a table of text that fits a width. East Asian wide characters take
// two columns, marks and what only shapes text none.

/** The least width of a column that is shortened. */
const NARROWEST = 8

/** @param width columns of the terminal, Infinity for none; the widest columns give way, their cells cut with `…`
 *  @returns lines joined by line feeds; columns whose cells are all numbers, or empty, stand to the right */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const clean = rows.map((row) => row.map(printable))
  const widths = fitted(
    headings.map((heading, column) => longest(heading, clean, column)),
    width - 2 * (headings.length - 1),
  )
  const numeric = headings.map(
    (_, column) => clean.length > 0 && clean.every((row) => /^[\d,.]*$/.test(row[column] ?? '')),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const fits = displayWidth(cell) <= widths[column]!
        const cut = fits ? cell : `${beginning(cell, widths[column]! - 1)}…`
        const pad = ' '.repeat(Math.max(0, widths[column]! - displayWidth(cut)))
        return numeric[column] ? pad + cut : cut + pad
      })
      .join('  ')
      .trimEnd()
  return [line(headings), line(widths.map((columnWidth) => '-'.repeat(columnWidth))), ...clean.map(line)].join('\n')
}

/** Lays out a `textTable`; where that would cut something, only some of its columns, and below them the others, a
 *  line a row.
 *  @param kept the places of those columns, the first of which names the row
 *  @param wordsOf the other cells as words; each behind its heading when left out */
export function foldedTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  kept: readonly number[],
  width: number,
  wordsOf?: (row: readonly string[]) => string,
): string {
  const table = textTable(headings, rows, width)
  if (table === textTable(headings, rows, Infinity)) return table
  const some = (cells: readonly string[]): string[] => kept.map((at) => cells[at]!)
  const rest = (row: readonly string[]): string =>
    row.flatMap((cell, at) => (kept.includes(at) || cell === '' ? [] : [`${headings[at]!} ${cell}`])).join(', ')
  const below = rows.map((row) => wrap(`${row[0]!}: ${(wordsOf ?? rest)(row)}`, width, '  '))
  return [textTable(some(headings), rows.map(some), width), '', ...below].join('\n')
}

function longest(heading: string, rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), heading.length)
}

/** The widest give way first, to one common width. */
function fitted(widths: readonly number[], total: number): number[] {
  const fits = widths.slice()
  for (let over = sum(fits) - total; over > 0; over--) {
    const widest = fits.indexOf(Math.max(...fits))
    if (fits[widest]! <= NARROWEST) break
    fits[widest]! -= 1
  }
  return fits
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

const NOTHING = /[\p{M}\p{Cf}]/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const ASCII = /^[\x20-\x7e]*$/

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += NOTHING.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** The longest beginning of whole characters that takes no more columns. */
export function beginning(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of text) {
    width += displayWidth(character)
    if (width > columns) break
    end += character.length
  }
  return text.slice(0, end)
}
