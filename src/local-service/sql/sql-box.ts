// The SQL box: one query at a time or two, on the data file, or on a copy of the tables that a query names.

import type { Store, TableSize } from '../store.ts'
import type { SqlCopy, SqlResult } from './sql-query.ts'

const LIMITS = { ms: 5000, bytes: 512 * 1024 * 1024 }
const MAX_RUNNING = 2
/** Bytes of rows that are copied for one query. */
const MAX_COPIED = 64 * 1024 * 1024
/** Bytes of first rows of tables that it does not name. */
const MAX_ASIDE = 8 * 1024 * 1024
const PIECE = 64 * 1024
/** In every name of what a data file is made of, besides views. */
const INNER = 'local service'

/** More than may run are running. */
export const BUSY = Symbol('busy')

class TooLarge extends Error {}

export class SqlBox {
  readonly #store: Store
  readonly #file: string | undefined
  readonly #closing: AbortSignal
  #running = 0

  /** `file`: the data file; undefined: rows are kept in memory. */
  constructor(store: Store, file: string | undefined, closing: AbortSignal) {
    this.#store = store
    this.#file = file
    this.#closing = closing
  }

  /** Rejects when the local service closes. */
  async run(sql: string): Promise<SqlResult | typeof BUSY> {
    if (this.#running === MAX_RUNNING) return BUSY
    this.#running++
    try {
      // A file of its own in the bundle, beside which the program of the process lies.
      const { runSql } = await import('./sql-run.ts')
      const copies = this.#file === undefined ? copyFor(sql, this.#store) : []
      return await runSql({ sql, file: this.#file ?? null }, copies, LIMITS, this.#closing)
    } catch (error) {
      if (error instanceof TooLarge) return { error: error.message }
      throw error
    } finally {
      this.#running--
    }
  }
}

/** All tables, so that they can be listed; of those that are not named only the first row, which shows their columns, while
 *  there is room for it. */
function* copyFor(sql: string, store: Store): Generator<readonly SqlCopy[]> {
  const text = sql.toLowerCase()
  // a table's name is letters, digits and underscores, and so is what of it stands in its view's
  const words = new Set(text.match(/\w+/g))
  const isNamed = ({ table }: TableSize): boolean => text.includes(INNER) || words.has(table.toLowerCase())
  let piece: SqlCopy[] = []
  let [size, copied, aside] = [0, 0, 0]
  for (const found of store.tables()) {
    const { clientId, table, rows } = found
    let into: Uint8Array[] = []
    piece.push({ clientId, table, rows: into })
    const named = isNamed(found)
    for (const { bytes: row } of store.rows(found, 0, named ? rows : 1)) {
      if (!named && aside + row.length > MAX_ASIDE) continue
      into.push(row)
      size += row.length
      if (named) copied += row.length
      else aside += row.length
      if (copied > MAX_COPIED) throw tooLarge()
      if (size < PIECE) continue
      yield piece
      into = []
      piece = [{ clientId, table, rows: into }]
      size = 0
    }
  }
  yield piece
}

function tooLarge(): TooLarge {
  return new TooLarge(
    `the tables that this query names are too large: rows are kept in memory, and at most ${MAX_COPIED / 2 ** 20} MiB of them are copied for a query. Started with --data FILE, serve has its tables in a file, and queries read that.`,
  )
}
