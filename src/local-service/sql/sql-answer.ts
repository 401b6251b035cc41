// From the frames of one question to its result: which database it is asked of, and how little memory that may take. Knows
// no process.

import { DatabaseSync } from 'node:sqlite'
import { SCHEMA } from '../sqlite/sqlite-schema.ts'
import { SqliteStore } from '../sqlite/sqlite-store.ts'
import { ViewsAtOnce } from '../sqlite/sqlite-views.ts'
import type { PointSlice } from '../store.ts'
import type { Frame, SqlQuestion, SqlResult, SqlTable } from './sql-frames.ts'
import { runQuery } from './sql-query.ts'

/** Bytes of one value, and no other file. */
const LIMITS = { length: 64 * 1024 * 1024, attach: 0 }
/** Another program that writes into the file is waited for so long. */
const BUSY_MS = 1000
const ROWS_AT_ONCE = 500

/** Never rejects. */
export async function answerQuestion(frames: Iterator<Frame>): Promise<SqlResult> {
  try {
    const first = frames.next()
    if (first.done || first.value.kind !== 'question') return { error: 'there is no question' }
    const { sql, file } = JSON.parse(first.value.bytes.toString()) as SqlQuestion
    return file === null ? await onCopy(sql, frames) : onFile(sql, file)
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
async function onCopy(sql: string, frames: Iterator<Frame>): Promise<SqlResult> {
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
  await fill(store, frames)
  views.finish(db)
  // Node before 24.12 has none: there it never was.
  db.enableDefensive?.(true)
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA query_only = ON')
  return runQuery(db, sql)
}

async function fill(store: SqliteStore, frames: Iterator<Frame>): Promise<void> {
  let into: SqlTable | undefined
  let rows: Buffer[] = []
  const flush = async (): Promise<void> => {
    if (into !== undefined) {
      await store.upsert(into.clientId, into.table, Buffer.concat(rows.flatMap((row) => [row, COMMA])), slicesOf(rows))
    }
    rows = []
  }
  for (let next = frames.next(); !next.done; next = frames.next()) {
    const { kind, bytes } = next.value
    if (kind === 'row') rows.push(bytes)
    if (kind === 'table' || rows.length === ROWS_AT_ONCE) await flush()
    if (kind === 'table') into = JSON.parse(bytes.toString()) as SqlTable
  }
  await flush()
}

const COMMA = Buffer.from(',')
let copied = 0

/** They are different rows already: any identities do that are different too. */
function slicesOf(rows: readonly Buffer[]): readonly PointSlice[] {
  let at = 0
  return rows.map(({ length }) => {
    const from = at
    at += length + 1
    return { identity: String(copied++), from, to: from + length }
  })
}
