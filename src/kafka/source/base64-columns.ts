// Finds columns of Debezium rows that look like decimals that cannot be read any more: base64, without the schema that says so
// (docs/formats.md#debezium).

import type { StoredRow } from './row-order.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Most characters of a decimal of 48 bytes: more than any database's usual ones. */
const LONGEST = 64
const MOST_COLUMNS = 1000

/** `note` each row, then ask for the `names`. */
export class Base64Columns {
  /** One of its values ends as only base64 does: words of four letters are base64 too. */
  readonly #suspected = new Set<string>()
  /** One of its values is something else. */
  readonly #cleared = new Set<string>()

  note(row: StoredRow): void {
    for (const [name, cell] of Object.entries(row)) {
      if (cell === null || this.#cleared.size + this.#suspected.size >= MOST_COLUMNS) continue
      const text = isVariableScale(cell) ? cell.value : cell
      const isBase64 = typeof text === 'string' && text.length <= LONGEST && text !== '' && BASE64.test(text)
      if (!isBase64) this.#cleared.add(name)
      else if (text !== cell || text.endsWith('=')) this.#suspected.add(name)
    }
  }

  get names(): readonly string[] {
    return [...this.#suspected].filter((name) => !this.#cleared.has(name))
  }
}

function isVariableScale(cell: unknown): cell is { readonly scale: number; readonly value: string } {
  if (typeof cell !== 'object' || cell === null || Object.keys(cell).length !== 2) return false
  const { scale, value } = cell as StoredRow
  return typeof scale === 'number' && typeof value === 'string'
}
