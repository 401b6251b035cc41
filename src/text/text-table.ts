// Rows as a table of text that fits the width of a terminal.

import { beginning, displayWidth } from './display-width.ts'
import { printable, wrap } from './printable.ts'

/** The least width of a column that is shortened. */
const NARROWEST = 8

/** Lays out rows as a table of text.
 *  @param width columns of the terminal, Infinity for none; the widest columns give way, their cells cut with `…`
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
  for (let over = fits.reduce((sum, width) => sum + width, -total); over > 0; over--) {
    const widest = fits.indexOf(Math.max(...fits))
    if (fits[widest]! <= NARROWEST) break
    fits[widest]! -= 1
  }
  return fits
}
