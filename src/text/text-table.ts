// Rows as a table of text that fits the width of a terminal. The cells of a row stand in the order of the headings.

import { beginning, displayWidth } from './display-width.ts'
import { printable, wrap } from './printable.ts'

/** Columns of the terminal that a column of the table keeps at least, unless its cells need less. */
const NARROWEST = 8
const GAP = '  '

/** Lays out rows as a table of text. Columns whose cells are all numbers, or empty, are aligned to the right.
 *  @param width columns of the terminal, or Infinity for any. If the table is wider, cells of its widest columns are cut, with `…`
 *  @returns lines joined by line feeds */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const clean = rows.map((row) => row.map(printable))
  const widths = fitted(
    headings.map((heading, column) => longest(heading, clean, column)),
    width - GAP.length * (headings.length - 1),
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
      .join(GAP)
      .trimEnd()
  return [line(headings), line(widths.map((columnWidth) => '-'.repeat(columnWidth))), ...clean.map(line)].join('\n')
}

/** Lays out a `textTable`. If that would have to cut a cell, the table keeps only some of the columns, and the cells of the others are
 *  listed below it, with a line for each row that begins with the row's first cell.
 *  @param kept the indexes of the columns that the table keeps
 *  @param wordsOf puts what the list says of a row into words; by default each non-empty cell stands behind its heading */
export function foldedTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  kept: readonly number[],
  width: number,
  wordsOf?: (row: readonly string[]) => string,
): string {
  const table = textTable(headings, rows, width)
  if (table === textTable(headings, rows, Infinity)) return table
  const keptOf = (cells: readonly string[]): string[] => kept.map((at) => cells[at]!)
  const otherWords = (row: readonly string[]): string =>
    row.flatMap((cell, at) => (kept.includes(at) || cell === '' ? [] : [`${headings[at]!} ${cell}`])).join(', ')
  const list = rows.map((row) => wrap(`${row[0]!}: ${(wordsOf ?? otherWords)(row)}`, width, '  '))
  return [textTable(keptOf(headings), rows.map(keptOf), width), '', ...list].join('\n')
}

function longest(heading: string, rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), displayWidth(heading))
}

/** Narrows the widest columns, to one common width, until all of them fit into `total`, or none is wider than NARROWEST. */
function fitted(widths: readonly number[], total: number): number[] {
  const fits = widths.slice()
  for (let over = fits.reduce((sum, width) => sum + width, -total); over > 0; over--) {
    const widest = fits.indexOf(Math.max(...fits))
    if (fits[widest]! <= NARROWEST) break
    fits[widest]! -= 1
  }
  return fits
}
