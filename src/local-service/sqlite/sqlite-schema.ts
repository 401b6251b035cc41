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
 *  `identity`: what rowIdentity of read-points.ts says, a text, or UTF-16 where no text holds it. No STRICT and no
 *  other news: older sqlite3 programs shall read the file too. Older files have no auto_vacuum, and a column `readable`. */
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

/** A quoted name in SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Folds a name as SQLite compares names. */
export function caseless(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
