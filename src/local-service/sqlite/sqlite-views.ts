// What the view of a table is called, what its text is, and how it comes into a database.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { POINT_COLUMN, sqlName, ROWS, rowPlaceOf } from './sqlite-schema.ts'
import type { ViewColumn } from './sqlite-schema.ts'

/** The table's own name; where that is taken, compared without case, with the client's number behind it, `orders.8`; where
 *  that is taken too, with one more, `orders.8.2`. */
export function viewName(table: string, clientId: number, isTaken: (name: string) => boolean): string {
  // SQLite keeps names that begin so for itself.
  const plain = /^sqlite_/i.test(table) ? `.${table}` : table
  if (!isTaken(plain)) return plain
  const named = `${plain}.${clientId}`
  if (!isTaken(named)) return named
  let n = 2
  while (isTaken(`${named}.${n}`)) n++
  return `${named}.${n}`
}

/** A column a field in the order the fields came, `keys` behind them, the point's own bytes last; a row a row, first
 *  arrival first. */
export function viewSql(view: string, tableId: number, columns: readonly ViewColumn[]): string {
  const inOrder = [...columns.filter((it) => !isKeys(it)), ...columns.filter(isKeys)]
  const shown = [...inOrder.map(({ sql }) => sql), `point AS ${sqlName(POINT_COLUMN)}`]
  const from = rowPlaceOf(tableId, 1)
  const to = rowPlaceOf(tableId + 1, 0)
  return (
    `CREATE VIEW ${sqlName(view)} AS SELECT ${shown.join(', ')} FROM (SELECT coalesce(readable, point) AS j, point ` +
    `FROM ${ROWS} WHERE seq BETWEEN ${from} AND ${to} ORDER BY seq)`
  )
}

function isKeys({ field }: ViewColumn): boolean {
  return field === 'keys'
}

export interface ViewMaker {
  /** Is there something of this name, compared as SQLite compares names? Views that were made do not count. */
  isTaken(name: string): boolean
  /** In the place of the view of this name, if there is one. Never throws. */
  make(name: string, sql: string): void
}

/** At once, in a file that others may write into too. Within a transaction. */
export class CreatedViews implements ViewMaker {
  readonly #db: DatabaseSync
  readonly #findName: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#findName = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE')
  }

  isTaken(name: string): boolean {
    return this.#findName.get(name) !== undefined
  }

  /** Rows are worth more than a view: one that cannot be made, for somebody has put a table of that name into the file, is
   *  left out. */
  make(name: string, sql: string): void {
    try {
      this.#db.exec(`DROP VIEW IF EXISTS ${sqlName(name)}`)
      this.#db.exec(sql)
    } catch {
      // A fault that is not the view's, a full disk say, shows at the commit.
    }
  }
}

/** All at the end, in a database of our own that nobody else writes into: each CREATE VIEW reads the whole schema, so that
 *  ten thousand of them take half a minute. */
export class ViewsAtOnce implements ViewMaker {
  readonly #texts = new Map<string, string>()

  isTaken(): boolean {
    return false
  }

  make(name: string, sql: string): void {
    this.#texts.set(name, sql)
  }

  /** Puts them into `db`, which must have been opened with `defensive: false`. */
  finish(db: DatabaseSync): void {
    db.exec('PRAGMA writable_schema = ON; BEGIN')
    const insert = db.prepare(`INSERT INTO sqlite_schema VALUES ('view', ?1, ?1, 0, ?2)`)
    for (const [name, sql] of this.#texts) insert.run(name, sql)
    db.exec('COMMIT; PRAGMA writable_schema = RESET')
  }
}
