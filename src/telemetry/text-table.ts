// Rows as a table of text that fits a width. Knows nothing of what it shows.

/** @param width columns of the terminal; the last column is cut with `…` so that no line is longer
 *  @returns lines joined by line feeds; columns whose cells are all numbers stand to the right */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const before = widths.slice(0, -1).reduce((sum, columnWidth) => sum + columnWidth + 2, 0)
  widths[widths.length - 1] = Math.max(8, Math.min(widths.at(-1)!, width - before))
  const numeric = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^[\d,.]+$/.test(row[column] ?? '')),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const cut = cell.length > widths[column]! ? `${cell.slice(0, widths[column]! - 1)}…` : cell
        return numeric[column] ? cut.padStart(widths[column]!) : cut.padEnd(widths[column]!)
      })
      .join('  ')
      .trimEnd()
  return [line(headings), line(widths.map((columnWidth) => '-'.repeat(columnWidth))), ...rows.map(line)].join('\n')
}
