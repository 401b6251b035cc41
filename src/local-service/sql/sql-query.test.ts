import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { testFolder } from '../testing/folder.ts'
import { runQuery } from './sql-query.ts'
import type { SqlResult, SqlRows } from './sql-query.ts'

function ask(sql: string, prepare = ''): SqlResult {
  using db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL); ${prepare}`)
  const result = runQuery(db, sql)
  db.setAuthorizer(null)
  expect(db.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2 })
  return result
}

function errorOf(sql: string): string {
  const result = ask(sql)
  return 'error' in result ? result.error : `no error: ${JSON.stringify(result)}`
}

it('gives columns and rows, with what JSON cannot hold in words', () => {
  const odd = "SELECT 9223372036854775807 AS a, 9007199254740991 AS a, 1e999, -1e999, 1.5, x'00ff', NULL, '<b>'"
  expect(ask(odd)).toEqual({
    columns: ['a', 'a', '1e999', '-1e999', '1.5', "x'00ff'", 'NULL', "'<b>'"],
    rows: [
      [
        { integer: '9223372036854775807' },
        9007199254740991,
        { real: 'Infinity' },
        { real: '-Infinity' },
        1.5,
        { blob: '00ff', bytes: 2 },
        null,
        '<b>',
      ],
    ],
    more: false,
    ms: expect.any(Number),
  })
  expect(ask('select * from t where 0')).toMatchObject({ columns: ['a', 'b'], rows: [], more: false })
})

it('gives a thousand rows of an endless query, less of large ones, and cuts long values', () => {
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, %s FROM n'
  const plain = ask(endless.replace('%s', '0')) as SqlRows
  expect([plain.rows.length, plain.more]).toEqual([1000, true])
  const large = ask(endless.replace('%s', "printf('%.*c', 100000, 'x')")) as SqlRows
  expect(large.more).toBe(true)
  expect(large.rows.length).toBeLessThan(250)
  expect(large.rows[0]![1]).toEqual({ text: 'x'.repeat(20_000), characters: 100_000 })
  const blob = ask('SELECT zeroblob(5000)') as SqlRows
  expect(blob.rows[0]![0]).toEqual({ blob: '00'.repeat(1000), bytes: 5000 })
})

it('runs what reads, whatever stands around it', () => {
  for (const sql of [
    '  /* a */ ; -- b\n select 1 ; /* c */ ; -- d',
    'VALUES (1)',
    'with x as (select 1) select * from x',
    'EXPLAIN SELECT 1',
    'explain query plan select * from t',
    "select * from pragma_table_info('t')",
    'select * from sqlite_schema',
    "select * from json_each('[1]')",
    "select ';' /* ; */",
    '\ufeffselect 1',
  ]) {
    expect(ask(sql), sql).not.toHaveProperty('error')
  }
})

it('refuses what is anything else', () => {
  using folder = testFolder()
  const other = folder.file('other.db')
  for (const sql of [
    'INSERT INTO t VALUES (3, 3)',
    'replace into t values (1, 1)',
    'UPDATE t SET a = 1',
    '/**/DELETE FROM t',
    ';;DROP TABLE t',
    'CREATE TABLE x (a)',
    'CREATE TEMP VIEW x AS SELECT 1',
    `ATTACH '${other}' AS o`,
    `VACUUM INTO '${other}'`,
    'PRAGMA user_version = 5',
    'PRAGMA writable_schema = ON',
    'BEGIN',
    'SAVEPOINT x',
    'REINDEX',
    'ANALYZE',
    'ALTER TABLE t RENAME TO u',
    'DETACH main',
  ]) {
    expect(errorOf(sql), sql).toMatch(/^[A-Z]+ is not run here: SELECT, VALUES, WITH and EXPLAIN are/)
  }
  for (const sql of [
    'WITH x AS (SELECT 1) DELETE FROM t',
    'with x as (select 1) insert into t select 1, 1 returning a',
    'WITH x AS (SELECT 1) UPDATE t SET a = 5',
    "SELECT load_extension('x')",
    'SELECT * FROM pragma_journal_mode',
    'explain delete from t',
  ]) {
    expect(errorOf(sql), sql).toMatch(/not authorized/)
  }
  expect(existsSync(other)).toBe(false)
  for (const sql of ['select 1; drop table t', 'select 1;select 2', 'select 1; x']) {
    expect(errorOf(sql), sql).toBe('one statement at a time')
  }
  for (const sql of ['', ' ;; ', '-- x', '/* x']) expect(errorOf(sql), sql).toBe('there is no statement')
  expect(errorOf('select 1\0; drop table t')).toMatch(/NUL/)
  expect(errorOf('selec 1')).toBe('near "selec": syntax error')
  expect(errorOf('select * from nowhere')).toBe('no such table: nowhere; there is no table yet')
  expect(errorOf('select (((((((((((')).toMatch(/incomplete input/)
})

it('does not show what interface A keeps', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE "local service entities" (json); INSERT INTO "local service entities" VALUES ('hash')`)
  for (const sql of ['select json from "local service entities"', 'select count(*) from "local service entities"']) {
    expect(runQuery(db, sql), sql).toMatchObject({ error: expect.stringMatching(/prohibited|not authorized/) })
  }
})

it('says which table or column was probably meant', () => {
  const views =
    'CREATE VIEW users AS SELECT a AS user_id, b AS "full name" FROM t; CREATE VIEW "a.8" AS SELECT 1 AS email'
  const hint = (sql: string, prepare = views): string => {
    const result = ask(sql, prepare)
    return 'error' in result ? result.error : ''
  }
  expect(hint('SELECT * FROM userz')).toBe('no such table: userz; did you mean users?')
  expect(hint('SELECT * FROM main."A.9"')).toBe('no such table: main.A.9; did you mean "a.8"?')
  expect(hint('SELECT * FROM orders')).toBe('no such table: orders; there are users, "a.8"')
  expect(hint('SELECT * FROM orders', '')).toBe('no such table: orders; there is no table yet')
  expect(hint('SELECT u.userid FROM users u')).toBe('no such column: u.userid; did you mean user_id?')
  expect(hint('SELECT fulname FROM Users')).toBe('no such column: fulname; did you mean "full name"?')
  expect(hint('SELECT emil FROM users')).toBe('no such column: emil')
  const broken = `${views}; CREATE VIEW broken AS SELECT * FROM gone`
  expect(hint('SELECT emil FROM users, broken', broken)).toMatch(/^no such /)
  expect(hint('SELECT nowhere()')).toBe('no such function: nowhere')
})
