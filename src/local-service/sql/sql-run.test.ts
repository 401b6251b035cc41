import { expect, it } from 'vitest'
import type { SqlCopy } from './sql-query.ts'
import { runSql } from './sql-run.ts'
import { SqliteStore } from '../sqlite/sqlite-store.ts'
import { testFolder } from '../testing/folder.ts'
import { one, put } from '../testing/upserts.ts'

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
const HUNGRY =
  'WITH RECURSIVE n(i) AS (SELECT randomblob(1000000) UNION ALL SELECT randomblob(1000000) FROM n) SELECT count(*) FROM (SELECT DISTINCT i FROM n)'
const LIMITS = { ms: 60_000, bytes: 512 * 1024 * 1024 }
const never = new AbortController().signal

function copyOf(table: string, rows: readonly string[]): SqlCopy {
  return { clientId: 7, table, rows: rows.map((row) => Buffer.from(row)) }
}

it('asks a copy of rows, whose views are those of a data file', async () => {
  const rows = Array.from({ length: 1200 }, (_, id) => `{"keys":["id"],"id":${id},"name":"é${id}"}`)
  const sql = 'SELECT count(*), sum(id), max(name), min(_point) FROM t'
  const pieces = [0, 500, 1000].map((from) => [copyOf('t', rows.slice(from, from + 500))])
  const result = await runSql({ sql, file: null }, pieces, LIMITS, never)
  expect(result).toMatchObject({ rows: [[1200, 719_400, 'é999', rows[0]]], more: false })
})

it('asks the data file while it is written', async () => {
  using folder = testFolder()
  const file = folder.file('rows.db')
  using store = new SqliteStore(file)
  await put(store, one('t', '{"keys":["id"],"id":1}'))
  const ask = (sql: string): Promise<unknown> => runSql({ sql, file }, [], LIMITS, never)
  expect(await ask('SELECT id FROM t')).toMatchObject({ rows: [[1]] })
  await put(store, one('t', '{"keys":["id"],"id":2}'))
  expect(await ask('SELECT id FROM t')).toMatchObject({ rows: [[1], [2]] })
  expect(await ask('WITH x AS (SELECT 1) DELETE FROM "local service rows"')).toHaveProperty('error')
  expect(await ask('SELECT count(*) FROM t')).toMatchObject({ rows: [[2]] })
})

it('gives a result that is larger than a pipe holds, of rows that are larger than its memory', async () => {
  using folder = testFolder()
  const file = folder.file('rows.db')
  using store = new SqliteStore(file)
  const rows = Array.from({ length: 40 }, (_, id) => `{"keys":["id"],"id":${id},"text":"${'x'.repeat(2_000_000)}"}`)
  for (const row of rows) await put(store, one('t', row))
  const result = await runSql({ sql: 'SELECT t.* FROM t, (VALUES (1), (2))', file }, [], LIMITS, never)
  expect(result).toMatchObject({ more: false })
  expect('rows' in result && result.rows.length).toBe(80)
})

it('copies thousands of tables while somebody waits', async () => {
  const tables = Array.from({ length: 5000 }, (_, n) => copyOf(`T${n}`, [`{"keys":["id"],"id":${n},"a'b":1}`]))
  const sql = `SELECT count(*), (SELECT id FROM t4711), (SELECT "a'b" FROM T0) FROM sqlite_schema WHERE type = 'view'`
  expect(await runSql({ sql, file: null }, [tables], LIMITS, never)).toMatchObject({
    rows: [[5000, 4711, 1]],
  })
})

it('says when it was the copying that took too long', async () => {
  const endless = (function* (): Generator<SqlCopy[]> {
    for (let id = 0; ; id++) yield [copyOf('t', [`{"keys":["id"],"id":${id},"text":"${'x'.repeat(100_000)}"}`])]
  })()
  expect(await runSql({ sql: 'SELECT 1', file: null }, endless, { ...LIMITS, ms: 100 }, never)).toEqual({
    error: expect.stringMatching(/copying .* may take 0\.2 s\. Started with --data/),
  })
})

it('ends a query that does not end, one that is too large, and one that nobody waits for', async () => {
  const question = { sql: ENDLESS, file: null }
  expect(await runSql(question, [], { ...LIMITS, ms: 300 }, never)).toEqual({
    error: 'interrupted: a query may take 0.3 s',
  })
  const hungry = runSql({ ...question, sql: HUNGRY }, [], { ms: 60_000, bytes: 150 * 1024 * 1024 }, never)
  expect(await hungry).toEqual({ error: 'interrupted: a query may need 150 MiB' })
  const gone = new AbortController()
  const asked = runSql(question, [], LIMITS, gone.signal)
  setImmediate(() => gone.abort())
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  await expect(runSql(question, [], LIMITS, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})

it('says what is wrong with the file, and passes on what goes wrong with the copy', async () => {
  using folder = testFolder()
  const result = await runSql({ sql: 'SELECT 1', file: folder.file('none.db') }, [], LIMITS, never)
  expect(result).toEqual({ error: 'unable to open database file' })
  const broken = (function* (): Generator<SqlCopy[]> {
    yield [copyOf('t', ['{"keys":["id"],"id":1}'])]
    throw new Error('no more')
  })()
  await expect(runSql({ sql: 'SELECT 1', file: null }, broken, LIMITS, never)).rejects.toThrow('no more')
})
