// The tables a data file is made of, and where in them the rows of one table stand. Their names hold spaces, so no table
// of a client, which is letters, digits and underscores, can be called the same.

import type { DatabaseSync } from 'node:sqlite'

/** "ALSv", in the header of every data file: how it is known from another program's. */
export const APPLICATION_ID = 0x41_4c_53_76

/** The version of the tables below; a file of a higher one was made by a later release. */
export const FORMAT = 1

export const TABLES = '"local service tables"'
export const FIELDS = '"local service fields"'
export const ROWS = '"local service rows"'

/** `view`: the view of this table. `field`: a member's name, as JSON text, for SQLite's texts hold no lone surrogates.
 *  `identity`: what rowIdentity of read-points.ts says, a text, or UTF-16 where no text holds it. `readable`: sqlite-points.ts.
 *  No STRICT and no other news: older sqlite3 programs shall read the file too. Older files have no auto_vacuum. */
export const SCHEMA = `
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${FORMAT};
CREATE TABLE ${TABLES} (
  id INTEGER PRIMARY KEY,
  client_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  view TEXT NOT NULL,
  UNIQUE (client_id, name)
);
CREATE TABLE ${FIELDS} (
  table_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  field TEXT NOT NULL,
  column_name TEXT NOT NULL,
  PRIMARY KEY (table_id, position)
) WITHOUT ROWID;
CREATE TABLE ${ROWS} (
  seq INTEGER PRIMARY KEY,
  table_id INTEGER NOT NULL,
  identity NOT NULL,
  point TEXT NOT NULL,
  readable TEXT
);
CREATE UNIQUE INDEX "local service identities" ON ${ROWS} (table_id, identity);
`

/** When a table and a row were written last, milliseconds since 1970: NULL where a release wrote that knew no times. Not in
 *  SCHEMA, for files of that release have to get it too. */
export function addTimes(db: DatabaseSync): void {
  const find = db.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'written_at'")
  for (const table of [TABLES, ROWS]) {
    if (find.get(table.slice(1, -1)) === undefined) db.exec(`ALTER TABLE ${table} ADD COLUMN written_at INTEGER`)
  }
}

/** Does all that `act` does, or nothing of it. */
export function inTransaction<T>(db: DatabaseSync, act: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = act()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // Some faults, a full disk say, have ended it already.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

const ROWS_PER_TABLE = 2 ** 32

/** The n-th row (from 1, first arrival first) of a table. A table's rows stand side by side, and go only with their table,
 *  so the last one's place says how many there are. */
export function rowPlaceOf(tableId: number, n: number): number {
  return tableId * ROWS_PER_TABLE + n
}

/** One field of a table's points and the column that shows it. */
export interface ViewColumn {
  readonly field: string
  readonly column: string
  /** Under this name the view looks the field up, in the point or in what is read in its place. */
  readonly key: string
  /** The column in the view's text. */
  readonly sql: string
}

/** The bytes as they came; in every view the last column. */
export const POINT_COLUMN = '_point'

/** SQLite's limit is 2,000, one of them POINT_COLUMN's. */
const MAX_COLUMNS = 1999
/** Bytes. Many sqlite3 programs read no file at all that has a view of more than 1,000,000. */
const MAX_SQL = 900_000

export class Columns {
  readonly #byField = new Map<string, ViewColumn>()
  readonly #taken = new Set([POINT_COLUMN])
  #sql = 0

  /** Columns in the order they were added. */
  all(): readonly ViewColumn[] {
    return [...this.#byField.values()]
  }

  of(field: string): ViewColumn | undefined {
    return this.#byField.get(field)
  }

  get size(): number {
    return this.#byField.size
  }

  /** Gives the field a column: `column` if that is how it was called before, else the field's own name, and where
   *  that is empty or another column's, compared without case, the name with `.2` behind it, or `.3` and so on.
   *  `undefined` when there is no room for it. The field must have no column yet. */
  add(field: string, column?: string): ViewColumn | undefined {
    if (this.size === MAX_COLUMNS) return undefined
    const name = column ?? this.#free(legible(field))
    const key = isPlain(field) ? field : `#${this.size + 1}`
    const sql = `json_extract(j, '$."${key.replaceAll("'", "''")}"') AS ${sqlName(name)}`
    const size = this.#sql + Buffer.byteLength(sql)
    if (size > MAX_SQL) return undefined
    this.#sql = size
    const added = { field, column: name, key, sql }
    this.#byField.set(field, added)
    this.#taken.add(caseless(name))
    return added
  }

  #free(name: string): string {
    if (name !== '' && !this.#taken.has(caseless(name))) return name
    let n = 2
    while (this.#taken.has(caseless(`${name}.${n}`))) n++
    return `${name}.${n}`
  }
}

/** A quoted name in SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Folds a name as SQLite compares names. */
export function caseless(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Can every SQLite look up a member of this name as it stands? `#1` is a key that others are given. */
function isPlain(field: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are escaped in JSON, and a path of SQLite's has no escapes
  return field.isWellFormed() && !/["\\\u0000-\u001f]|^#\d+$/.test(field)
}

/** SQL texts end at the first NUL. */
function legible(field: string): string {
  return field.toWellFormed().replaceAll('\0', '\ufffd')
}
