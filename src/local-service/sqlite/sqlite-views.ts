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

/** In a file that others may write into too. Within a transaction. */
export class ViewMaker {
  readonly #db: DatabaseSync
  readonly #findName: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#findName = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE')
  }

  /** Is there something of this name, compared as SQLite compares names? */
  isTaken(name: string): boolean {
    return this.#findName.get(name) !== undefined
  }

  /** In the place of the view of this name, if there is one. Never throws. Rows are worth more than a view: one that cannot
   *  be made, for somebody has put a table of that name into the file, is left out. */
  make(name: string, sql: string): void {
    try {
      this.#db.exec(`DROP VIEW IF EXISTS ${sqlName(name)}`)
      this.#db.exec(sql)
    } catch {
      // A fault that is not the view's, a full disk say, shows at the commit.
    }
  }
}
