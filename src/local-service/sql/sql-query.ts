// One query on a database that it cannot change: what is refused, and how much of the result is given. Knows no process.

import { constants, type DatabaseSync, type StatementSync } from 'node:sqlite'
import { ENTITIES_NAME } from '../onboarding/sqlite-entities.ts'
import type { SqlCell, SqlResult } from './sql-frames.ts'

const MAX_ROWS = 1000
/** Characters of one value, and of all. */
const MAX_TEXT = 20_000
const MAX_RESULT = 4_000_000
const MAX_BLOB = 1000
/** With these all of SQLite's statements begin that are not for reading alone. */
const REFUSED = new Set(
  (
    'ALTER ANALYZE ATTACH BEGIN COMMIT CREATE DELETE DETACH DROP END INSERT PRAGMA REINDEX RELEASE REPLACE ROLLBACK ' +
    'SAVEPOINT UPDATE VACUUM'
  ).split(' '),
)
/** Those that only tell how tables are made. */
const PRAGMAS = new Set(['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info', 'function_list'])
const SQLITE_AUTH = 23

/** Runs the only statement in `sql`. What SQLite refuses comes back in its words; never throws. */
export function runQuery(db: DatabaseSync, sql: string): SqlResult {
  const refused = statementFault(sql)
  if (refused !== undefined) return { error: refused }
  try {
    // Node before 24.10 has none: there, that the connection is for reading only must do.
    db.setAuthorizer?.(authorize)
    const statement = db.prepare(sql)
    if (withoutSpace(sql.slice(statement.sourceSQL.length)) !== '') return { error: 'one statement at a time' }
    return rowsOf(statement)
  } catch (error) {
    return { error: wordsOf(error) }
  }
}

/** What can be told before SQLite reads it; undefined: nothing. */
function statementFault(sql: string): string | undefined {
  if (sql.includes('\0')) return 'a statement holds no NUL character'
  const text = withoutSpace(sql)
  if (text === '') return 'there is no statement'
  const word = /^[a-z]+/i.exec(text)?.[0].toUpperCase()
  return word !== undefined && REFUSED.has(word)
    ? `${word} is not run here: SELECT, VALUES, WITH and EXPLAIN are, for the SQL box only reads`
    : undefined
}

/** Without white space, semicolons and comments at its beginning. */
function withoutSpace(sql: string): string {
  return sql.replace(/^(?:[\s;\ufeff]|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))+/, '')
}

/** `what`: a table that is read, or a pragma. */
function authorize(action: number, what: string | null): number {
  const { SQLITE_OK, SQLITE_DENY, SQLITE_READ, SQLITE_PRAGMA } = constants
  const { SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants
  if (action === SQLITE_READ) return what === ENTITIES_NAME ? SQLITE_DENY : SQLITE_OK
  if (action === SQLITE_PRAGMA) return PRAGMAS.has(what ?? '') ? SQLITE_OK : SQLITE_DENY
  return [SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE].includes(action) ? SQLITE_OK : SQLITE_DENY
}

function rowsOf(statement: StatementSync): SqlResult {
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const columns = statement.columns().map(({ name }) => name)
  const rows: SqlCell[][] = []
  const started = performance.now()
  let size = 0
  let more = false
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly unknown[]>) {
    more = rows.length === MAX_ROWS || size > MAX_RESULT
    if (more) break
    const cells = row.map(cellOf)
    for (const cell of cells) size += sizeOf(cell)
    rows.push(cells)
  }
  return { columns, rows, more, ms: Math.round((performance.now() - started) * 10) / 10 }
}

function cellOf(value: unknown): SqlCell {
  if (value === null) return null
  if (typeof value === 'number') return Number.isFinite(value) ? value : { real: String(value) }
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : { integer: String(value) }
  }
  if (typeof value === 'string') {
    return value.length <= MAX_TEXT ? value : { text: copied(value.slice(0, MAX_TEXT)), characters: value.length }
  }
  const bytes = value as Uint8Array
  return { blob: Buffer.from(bytes.subarray(0, MAX_BLOB)).toString('hex'), bytes: bytes.length }
}

/** A piece of a text holds on to all of it; this does not. Without lone surrogates. */
function copied(text: string): string {
  return Buffer.from(text).toString()
}

function sizeOf(cell: SqlCell): number {
  if (typeof cell === 'string') return cell.length
  if (cell === null || typeof cell === 'number') return 8
  return 'text' in cell ? cell.text.length : 'blob' in cell ? cell.blob.length : 20
}

function wordsOf(error: unknown): string {
  const { message, errcode } = error as { message?: string; errcode?: number }
  const words = (message ?? String(error)).slice(0, 1000)
  return errcode === SQLITE_AUTH ? `${words}: the SQL box only reads tables and views` : words
}
