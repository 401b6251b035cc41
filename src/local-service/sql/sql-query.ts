// One query on a database that it cannot change: what is refused, and how much of the result is given.

import { constants, DatabaseSync } from 'node:sqlite'
import type { StatementSync } from 'node:sqlite'
import { nearestName } from '../../text/nearest-name.ts'
import { ENTITIES_NAME } from '../onboarding/sqlite-entities.ts'
import { SCHEMA, sqlName } from '../sqlite/sqlite-schema.ts'
import { SqliteStore } from '../sqlite/sqlite-store.ts'
import { ViewsAtOnce } from '../sqlite/sqlite-views.ts'
import type { PointSlice } from '../store.ts'

/** As JSON. An integer that no JavaScript number holds, a real that is none in JSON, bytes, and a text that was cut are
 *  objects. `characters`: of the whole text; `bytes`: of the whole value. */
export type SqlCell =
  | null
  | number
  | string
  | { readonly integer: string }
  | { readonly real: string }
  | { readonly blob: string; readonly bytes: number }
  | { readonly text: string; readonly characters: number }

export interface SqlRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SqlCell[])[]
  /** There are more rows than these. */
  readonly more: boolean
  /** What the query itself took. */
  readonly ms: number
}

export type SqlResult = SqlRows | { readonly error: string }

/** What the process that runs a query gets first. */
export interface SqlQuestion {
  readonly sql: string
  /** The data file; null: copies of rows follow. */
  readonly file: string | null
}

/** Rows of one table. */
export interface SqlCopy {
  readonly clientId: number
  readonly table: string
  readonly rows: readonly Uint8Array[]
}

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
/** Those that only show how tables are made. */
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
    return { error: wordsOf(error) + hintOf(error, db, sql) }
  }
}

const MAX_NAMES = 2000
/** Names of tables that are listed where none is near. */
const MAX_LISTED = 10

/** For a table or column that there is not: what was probably meant, or the tables there are. '' otherwise. */
function hintOf(error: unknown, db: DatabaseSync, sql: string): string {
  const [, kind, given = ''] = /^no such (table|column): (?:main\.)?(.*)$/s.exec((error as Error).message) ?? []
  if (kind === undefined) return ''
  const isTable = kind === 'table'
  const names = namesFor(isTable, db, sql)
  const near = nearestName(isTable ? given : given.slice(given.lastIndexOf('.') + 1), names)
  if (near !== undefined) return `; did you mean ${written(near)}?`
  if (!isTable) return ''
  const listed = names.slice(0, MAX_LISTED).map(written).join(', ')
  return names.length === 0
    ? '; there is no table yet'
    : `; there are ${listed}${names.length > MAX_LISTED ? ', …' : ''}`
}

/** Of all tables, or of the columns of those that the statement names. */
function namesFor(isTable: boolean, db: DatabaseSync, sql: string): readonly string[] {
  const tables = `SELECT name FROM sqlite_schema WHERE type = 'view' LIMIT ${MAX_NAMES}`
  const columns = `SELECT field.name FROM sqlite_schema AS it, pragma_table_info(it.name) AS field
    WHERE it.type = 'view' AND instr(lower(?), lower(it.name)) LIMIT ${MAX_NAMES}`
  try {
    const found = isTable ? db.prepare(tables).all() : db.prepare(columns).all(sql)
    return found.map(({ name }) => String(name))
  } catch {
    // somebody else's view, which cannot be read
    return []
  }
}

function written(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : sqlName(name)
}

/** What can be known before SQLite reads it; undefined: nothing. */
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

/** Bytes of one value, and no other file. */
const LIMITS = { length: 64 * 1024 * 1024, attach: 0 }
/** How long another program that writes into the file is waited for. */
const BUSY_MS = 1000

/** Never rejects. */
export async function answerQuestion(
  { sql, file }: SqlQuestion,
  copies: AsyncIterable<readonly SqlCopy[]>,
): Promise<SqlResult> {
  try {
    return file === null ? await onCopy(sql, copies) : onFile(sql, file)
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

function onFile(sql: string, file: string): SqlResult {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS, limits: LIMITS })
  try {
    db.exec('PRAGMA temp_store = MEMORY; PRAGMA query_only = ON')
    return runQuery(db, sql)
  } finally {
    db.close()
  }
}

/** Rows that live in the service's memory: given the same views as in a data file. */
async function onCopy(sql: string, copies: AsyncIterable<readonly SqlCopy[]>): Promise<SqlResult> {
  const db = new DatabaseSync(':memory:', { limits: LIMITS, defensive: false })
  const views = new ViewsAtOnce()
  using store = new SqliteStore(
    ':memory:',
    (_path, read) => {
      db.exec(SCHEMA)
      return { db, content: read(db), [Symbol.dispose]: () => db.close() }
    },
    () => views,
  )
  for await (const tables of copies) {
    await Promise.all(
      tables.map(({ clientId, table, rows }) => {
        const body = Buffer.concat(rows.flatMap((row) => [row, COMMA]))
        return store.upsert(clientId, table, body, slicesOf(rows), 0)
      }),
    )
  }
  views.finish(db)
  // Node before 24.12 has none: there it never was.
  db.enableDefensive?.(true)
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA query_only = ON')
  return runQuery(db, sql)
}

const COMMA = Buffer.from(',')
let identities = 0

/** They are different rows already: any identities do that are different too. */
function slicesOf(rows: readonly Uint8Array[]): readonly PointSlice[] {
  let at = 0
  return rows.map(({ length }) => {
    const from = at
    at += length + 1
    return { identity: String(identities++), from, to: from + length }
  })
}
