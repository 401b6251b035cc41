// Makes the view by which other programs read a table in the data file: its name, its columns, and its SQL.

import { isName, nameOf, type Name } from '../../json/name.ts'
import { NAME_TO, STRIDE, type Scanner } from '../../json/scanner.ts'
import { scannedMembers } from '../row-members.ts'
import { caseless, ROWS, rowPlaceOf, sqlName } from './sqlite-schema.ts'

/** One field of a table's points and the column that shows it. */
export interface ViewColumn {
  readonly field: string
  readonly column: string
  /** The column's part of the view's SQL. */
  readonly sql: string
}

/** The column of the row's own bytes, the last one in every view. */
export const POINT_COLUMN = '_point'

/** Most fields that get a column. SQLite's limit is 2,000 columns, and one is POINT_COLUMN. */
const MAX_COLUMNS = 1999
/** Most bytes of SQL for the columns. Many sqlite3 programs cannot read a file at all that has a view of more than 1,000,000 bytes. */
const MAX_SQL_BYTES = 900_000
/** The names of a point with more members than this are not kept for comparison. */
const MAX_NAMES = 4096

/** The columns of one table's view. */
export class Columns {
  readonly #byField = new Map<string, ViewColumn>()
  /** The names of columns in lower case (caseless). */
  readonly #taken = new Set([POINT_COLUMN])
  #sqlBytes = 0
  /** The member names of the last point, in their order; none when it had more than MAX_NAMES. */
  #lastNames: readonly Name[] = []

  /** Columns in the order they were added. */
  all(): readonly ViewColumn[] {
    return [...this.#byField.values()]
  }

  get size(): number {
    return this.#byField.size
  }

  /** Adds a column for a field that has none. `undefined` when there is no room for one. It has the field's name; where that is empty or
   *  taken (in upper or lower case), `.2` or `.3` and so on is added. It reads the field from `j`, the row as JSON (viewSql). The column of
   *  a field that not every SQLite can look up is always NULL, and its value is seen in POINT_COLUMN only.
   *  @param column the column's name, where the file has the column already */
  add(field: string, column?: string): ViewColumn | undefined {
    if (this.size === MAX_COLUMNS) return undefined
    const name = column ?? this.#freeName(legible(field))
    const value = isPlain(field) ? `json_extract(j, '$."${field.replaceAll("'", "''")}"')` : 'NULL'
    const sql = `${value} AS ${sqlName(name)}`
    const size = this.#sqlBytes + Buffer.byteLength(sql)
    if (size > MAX_SQL_BYTES) return undefined
    this.#sqlBytes = size
    const added = { field, column: name, sql }
    this.#byField.set(field, added)
    this.#taken.add(caseless(name))
    return added
  }

  /** Adds a column for each field of a point that has none yet. Most points have the last one's members in its order: then there is none.
   *  @param scanned a scanner whose last call was `table()`, on this point */
  addFieldsOf(bytes: Buffer, scanned: Scanner): void {
    if (this.#hasLastNames(bytes, scanned)) return
    const fields = scannedMembers(bytes, scanned).map(({ name }) => name)
    for (const field of fields) if (!this.#byField.has(field)) this.add(field)
    this.#lastNames = fields.length <= MAX_NAMES ? fields.map(nameOf) : []
  }

  #hasLastNames(bytes: Buffer, { members, count }: Scanner): boolean {
    return (
      this.#lastNames.length === count &&
      this.#lastNames.every((name, at) => isName(bytes, members[at * STRIDE]!, members[at * STRIDE + NAME_TO]!, name))
    )
  }

  #freeName(name: string): string {
    const isTaken = (it: string): boolean => this.#taken.has(caseless(it))
    return name === '' || isTaken(name) ? numbered(name, isTaken) : name
  }
}

/** The first of `name.2`, `name.3` and so on that is not taken. */
function numbered(name: string, isTaken: (name: string) => boolean): string {
  let n = 2
  while (isTaken(`${name}.${n}`)) n++
  return `${name}.${n}`
}

/** Tells whether every SQLite can look up a member of this name, as JSON writes it without escapes. */
function isPlain(field: string): boolean {
  // oxlint-disable-next-line no-control-regex -- JSON escapes them, and in a path of SQLite's nothing can be escaped
  return field.isWellFormed() && !/["\\\u0000-\u001f]/.test(field)
}

/** A field's name without what a name in SQL cannot have: lone surrogates, and NUL, at which it would end. */
function legible(field: string): string {
  return field.toWellFormed().replaceAll('\0', '\ufffd')
}

/** The name for a table's view: the table's own name; where that is taken, followed by the client's id, `orders.8`; where that is taken
 *  too, by one more number, `orders.8.2`.
 *  @param isTaken treats upper and lower case as the same */
export function viewName(table: string, clientId: number, isTaken: (name: string) => boolean): string {
  // SQLite reserves names that begin with sqlite_
  const name = /^sqlite_/i.test(table) ? `.${table}` : table
  if (!isTaken(name)) return name
  const withClient = `${name}.${clientId}`
  return isTaken(withClient) ? numbered(withClient, isTaken) : withClient
}

/** The SQL that makes a view. It has a row for each row of the table, in the order of their first arrival. It has a column for each field,
 *  in the order the fields came; then that of `keys`; then POINT_COLUMN. A row nested too deep for SQLite has NULL in all others. */
export function viewSql(view: string, tableId: number, columns: readonly ViewColumn[]): string {
  const inOrder = [...columns.filter((it) => !isKeys(it)), ...columns.filter(isKeys)]
  const shown = [...inOrder.map(({ sql }) => sql), `point AS ${sqlName(POINT_COLUMN)}`]
  const from = rowPlaceOf(tableId, 1)
  const to = rowPlaceOf(tableId + 1, 0)
  return (
    `CREATE VIEW ${sqlName(view)} AS SELECT ${shown.join(', ')} FROM (SELECT CASE json_valid(point) WHEN 1 THEN point END AS j, point ` +
    `FROM ${ROWS} WHERE seq BETWEEN ${from} AND ${to} ORDER BY seq)`
  )
}

function isKeys({ field }: ViewColumn): boolean {
  return field === 'keys'
}
