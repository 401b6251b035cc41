// Pieces of a page: text from outside, and a table with headings for eyes and for those who listen, in a frame that scrolls
// where the screen is narrow.

import { printable } from '../../text/printable.ts'

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For an element's content or an attribute's value in double quotes. */
export function html(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => NAMES[sign]!)
}

interface TableParts {
  /** HTML, as are headings and cells. */
  readonly caption: string
  readonly headings: readonly string[]
  /** So many columns, the first of them, are text; figures stand to the right. */
  readonly texts: number
  /** The first cell of each is its heading. */
  readonly rows: readonly (readonly string[])[]
  readonly total?: readonly string[] | undefined
}

export function tableOf({ caption, headings, texts, rows, total }: TableParts): string {
  const kind = (column: number): string => (column < texts ? ' class="t"' : '')
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? `<th scope="row"${kind(0)}>${cell}</th>` : `<td${kind(column)}>${cell}</td>`,
      )
      .join('')
  const head = headings.map((heading, column) => `<th scope="col"${kind(column)}>${heading}</th>`).join('')
  const body = rows.map((row) => `<tr>${line(row)}</tr>`).join('')
  const foot = total ? `<tfoot><tr>${line(total)}</tr></tfoot>` : ''
  // whoever has no pointer scrolls it by keys
  return (
    `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><caption>${caption}</caption>` +
    `<thead><tr>${head}</tr></thead><tbody>${body}</tbody>${foot}</table></div>`
  )
}
