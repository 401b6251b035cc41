// What the view of a table is called and what its text is. Pure: knows no database.

import { type Column, POINT_COLUMN, quoted } from './sqlite-columns.ts'
import { placeOf, ROWS } from './sqlite-schema.ts'

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
export function viewSql(view: string, tableId: number, columns: readonly Column[]): string {
  const inOrder = [...columns.filter((it) => !isKeys(it)), ...columns.filter(isKeys)]
  const shown = [...inOrder.map(({ sql }) => sql), `point AS ${quoted(POINT_COLUMN)}`]
  const from = placeOf(tableId, 1)
  const to = placeOf(tableId + 1, 0)
  return (
    `CREATE VIEW ${quoted(view)} AS SELECT ${shown.join(', ')} FROM (SELECT coalesce(readable, point) AS j, point ` +
    `FROM ${ROWS} WHERE seq BETWEEN ${from} AND ${to} ORDER BY seq)`
  )
}

function isKeys({ field }: Column): boolean {
  return field === 'keys'
}
