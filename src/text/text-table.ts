// Rows as a table of text that fits a width. Knows nothing of what it shows.

import { beginning, displayWidth } from './display-width.ts'
import { printable } from './printable.ts'

/** A column that must give way keeps so many characters. */
const NARROWEST = 8

/** @param width columns of the terminal, Infinity for none; the widest columns give way, their cells cut with `…`
 *  @returns lines joined by line feeds; columns whose cells are all numbers stand to the right */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const clean = rows.map((row) => row.map(printable))
  const widths = fitted(
    headings.map((heading, column) => longest(heading, clean, column)),
    width - 2 * (headings.length - 1),
  )
  const numeric = headings.map(
    (_, column) => clean.length > 0 && clean.every((row) => /^[\d,.]+$/.test(row[column] ?? '')),
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
