// The tables a data file is made of, and where in them the rows of one table stand. Their names hold spaces, so no table
// of a client, which is letters, digits and underscores, can be called the same.

/** "ALSv", in the header of every data file: how it is known from another program's. */
export const APPLICATION_ID = 0x41_4c_53_76

/** Of the tables below; a file of a higher one was made by a later release. */
export const FORMAT = 1

export const TABLES = '"local service tables"'
export const FIELDS = '"local service fields"'
export const ROWS = '"local service rows"'

/** `view`: the view of this table. `field`: a member's name, as JSON text, for SQLite's texts hold no lone surrogates.
 *  `identity`: what row-identity.ts says, a text, or UTF-16 where no text holds it. `readable`: sqlite-points.ts.
 *  No STRICT and no other news: older sqlite3 programs shall read the file too. */
export const SCHEMA = `
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

const ROWS_PER_TABLE = 2 ** 32

/** The n-th row (from 1, first arrival first) of a table. A table's rows stand side by side, and no row is ever removed,
 *  so the last one's place says how many there are. */
export function rowPlaceOf(tableId: number, n: number): number {
  return tableId * ROWS_PER_TABLE + n
}
