// What the view of a table is called, and what its text is.

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
