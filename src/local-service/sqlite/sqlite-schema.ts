// The SQL tables in a data file, and where in them the rows of one table of a client are. Their names have spaces, so that no view of a
// client's table, whose name is letters, digits and underscores, can have the same.

import type { DatabaseSync } from 'node:sqlite'

/** "ALSv", in the header of every data file: it tells them from other programs' SQLite files. */
export const APPLICATION_ID = 0x41_4c_53_76

/** The version of the tables below. A file with a higher one was made by a later release. */
export const FORMAT = 1

export const TABLES = '"local service tables"'
export const FIELDS = '"local service fields"'
export const ROWS = '"local service rows"'

/** The statements that make an empty data file. `view`: the name of the view that shows this table. `field`: a member's name, as JSON, for
 *  texts in SQLite cannot have lone surrogates. `seq`: rowPlaceOf. `identity`: a text or bytes (`bindable`), the same for all points of a
 *  row. `point`: the row, as JSON. Nothing newer in SQL, such as STRICT, is used: older sqlite3 programs must be able to read the file.
 *  Files of older releases have no auto_vacuum, and one more column, `readable`. */
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
  point TEXT NOT NULL
);
CREATE UNIQUE INDEX "local service identities" ON ${ROWS} (table_id, identity);
`

/** Adds the columns for the time of the last write where they are missing; it is in milliseconds since 1970, NULL when not known. They are
 *  not in SCHEMA, as files of older releases need them too. */
export function addTimes(db: DatabaseSync): void {
  const findColumn = db.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'written_at'")
  for (const table of [TABLES, ROWS]) {
    const unquoted = table.slice(1, -1)
    if (findColumn.get(unquoted) === undefined) db.exec(`ALTER TABLE ${table} ADD COLUMN written_at INTEGER`)
  }
}

/** Does `act` in a transaction, which is undone when `act` throws. */
export function inTransaction<T>(db: DatabaseSync, act: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = act()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // some errors, such as a full disk, have undone the transaction already
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

const ROWS_PER_TABLE = 2 ** 32

/** The `seq` of the n-th row (from 1, first arrival first) of a table: each table has a range of its own. Rows are removed only with their
 *  table, so the last one's place tells how many there are. */
export function rowPlaceOf(tableId: number, n: number): number {
  return tableId * ROWS_PER_TABLE + n
}

/** Quotes a name for SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A name in lower case as SQLite compares names: only A to Z are changed. */
export function caseless(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
