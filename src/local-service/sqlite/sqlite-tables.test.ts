import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { FIELDS, rowPlaceOf, ROWS, SCHEMA, TABLES } from './sqlite-schema.ts'
import { SqliteStore } from './sqlite-store.ts'
import { TableGone } from '../store.ts'
import { testFolder } from '../testing/folder.ts'
import { content, one, put, rowsOf, select, tableOf } from '../testing/upserts.ts'

const text = fc.string({ unit: 'binary', maxLength: 4 })

it('shows a column a field, whatever fields are called and hold, except what SQLite cannot look up', async () => {
  const name = fc.oneof(
    text,
    fc.constantFrom('id', 'ID', '_point', 'keys', '', 'a"b', '#1', "'", 'a\\b', 'a.b[0]', '\ud800'),
  )
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
    fc.constantFrom('\0', 'a\0b', 2 ** 53 - 1, -0, 1e300, 5e-324, true, false, null),
  )
  const points = fc.array(fc.dictionary(name, value, { maxKeys: 6 }), { minLength: 1, maxLength: 6 })
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  let run = 0
  await fc.assert(
    fc.asyncProperty(points, async (all) => {
      const table = `t${++run}`
      const texts = all.map((point) => JSON.stringify(point))
      for (const [id, point] of texts.entries()) await put(store, one(table, point, String(id)))
      const rows = select(file, `SELECT * FROM ${table}`)
      const columns = select(file, `SELECT field, column_name FROM ${FIELDS} WHERE table_id = ${run} ORDER BY position`)
      const fields = columns.map(({ field }) => JSON.parse(String(field)) as string)
      expect(new Set(fields)).toEqual(new Set(all.flatMap((point) => Object.keys(point))))
      for (const [id, point] of all.entries()) {
        expect(rows[id]!['_point']).toBe(texts[id])
        for (const [n, field] of fields.entries()) {
          // SQLite takes a name with a NUL also for what is before that
          if (Object.keys(point).some((name) => name.startsWith(`${field}\0`))) continue
          const shown = rows[id]![String(columns[n]!['column_name'])]
          // oxlint-disable-next-line no-control-regex
          const isPlain = field.isWellFormed() && !/["\\\0-\x1f]/.test(field)
          expect(shown, `${texts[id]} ${field}`).toEqual(isPlain ? inSql(point[field]) : null)
        }
      }
    }),
    { numRuns: 60 },
  )
})

/** What is nested as JSON; of a text some SQLites show what is before its first NUL, of a number they round the end. */
function inSql(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'string') {
    const text = value.toWellFormed()
    return text.includes('\0') ? expect.toBeOneOf([text, text.slice(0, text.indexOf('\0'))]) : text
  }
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number')
    return expect.toSatisfy((it: number) => Math.abs(it - value) <= Math.abs(value) * 1e-14)
  return value === null ? null : expect.toSatisfy((it) => sameJson(it, value))
}

function sameJson(found: unknown, value: unknown): boolean {
  return JSON.stringify(JSON.parse(String(found))) === JSON.stringify(value)
}

it('keeps bytes as they came, and shows what a program can use of them', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  const point = '{"keys":["id"] ,"id":9007199254740993,"p":1.10,"big":12345678901234567890,"e":1e400, "on":true}'
  await put(store, one('orders', point))
  expect(content(store)).toEqual([{ clientId: 7, table: 'orders', rows: 1, texts: [point] }])
  expect(select(file, 'SELECT CAST(id AS TEXT) AS id, p, big, e, "on", keys, _point FROM orders')).toEqual([
    { id: '9007199254740993', p: 1.1, big: 1.2345678901234567e19, e: Infinity, on: 1, keys: '["id"]', _point: point },
  ])
})

it('shows of a point that is nested too deep for SQLite only its bytes, and of the other rows all', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  const deep = `{"id":1,"a":${'['.repeat(1001)}${']'.repeat(1001)}}`
  for (const point of [deep, '{"id":2}']) await put(store, one('t', point))
  expect(select(file, 'SELECT id, _point FROM t')).toEqual([
    { id: null, _point: deep },
    { id: 2, _point: '{"id":2}' },
  ])
})

it('reads a file of a release that kept a second text of some rows', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  {
    using db = new DatabaseSync(file)
    db.exec(`${SCHEMA.replace('point TEXT NOT NULL', 'point TEXT NOT NULL, readable TEXT')}
      INSERT INTO ${TABLES} VALUES (1, 7, 't', 't'); INSERT INTO ${FIELDS} VALUES (1, 0, '"id"', 'id'), (1, 1, '"a\\"b"', 'a"b');
      INSERT INTO ${ROWS} VALUES (${rowPlaceOf(1, 1)}, 1, 'a', '{"id":1,"a\\"b":2}', '{"id":1,"#2":2}');
      CREATE VIEW t AS SELECT json_extract(coalesce(readable, point), '$."id"') AS id FROM ${ROWS}`)
  }
  using store = new SqliteStore(file)
  await put(store, one('t', '{"id":3}', 'a'))
  await put(store, one('t', '{"id":4,"c":5}', 'b'))
  expect(select(file, 'SELECT * FROM t')).toEqual([
    { id: 3, 'a"b': null, c: null, _point: '{"id":3}' },
    { id: 4, 'a"b': null, c: 5, _point: '{"id":4,"c":5}' },
  ])
})

it('shows new fields at once, in views of their own for each client and each way to write a name', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  await put(store, one('orders', '{"keys":["id"],"id":1}'))
  expect(select(file, 'SELECT * FROM orders')).toEqual([{ id: 1, keys: '["id"]', _point: '{"keys":["id"],"id":1}' }])
  await put(store, one('orders', '{"id":2,"item":"desk"}'))
  await put(store, one('orders', '{"id":3}', 'x', 8))
  await put(store, one('Orders', '{"id":4}'))
  await put(store, one('ORDERS', '{"id":6}'))
  await put(store, one('sqlite_stat1', '{"id":5}'))
  expect(select(file, 'SELECT id, item FROM orders')).toEqual([
    { id: 1, item: null },
    { id: 2, item: 'desk' },
  ])
  expect(
    select(
      file,
      'SELECT id FROM "orders.8" UNION SELECT id FROM "ORDERS.7.2" UNION SELECT id FROM "Orders.7" UNION SELECT id FROM ".sqlite_stat1"',
    ),
  ).toEqual([{ id: 3 }, { id: 4 }, { id: 5 }, { id: 6 }])
})

it('takes points of thousands of fields, and names of any length', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field ${n}`, n]))
  await put(store, one('wide', JSON.stringify({ ...wide, ['x'.repeat(2_000_000)]: 1 })))
  await put(store, one('long', JSON.stringify({ id: 1, ['x'.repeat(2_000_000)]: 1, ['y'.repeat(50_000)]: 2 })))
  const [row] = select(file, 'SELECT * FROM wide')
  expect(Object.keys(row!)).toHaveLength(2000)
  expect(row).toMatchObject({ 'field 0': 0, 'field 1998': 1998 })
  expect(Object.keys(select(file, 'SELECT * FROM long')[0]!)).toEqual(['id', 'y'.repeat(50_000), '_point'])
})

it('stores also where somebody has put a table of that name', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  {
    using store = new SqliteStore(file)
    using other = new DatabaseSync(file)
    other.exec('CREATE TABLE Orders (mine)')
    await put(store, one('orders', '{"id":1}'))
    expect(select(file, 'SELECT id FROM "orders.7"')).toEqual([{ id: 1 }])
    await put(store, one('items', '{"id":1}'))
    other.exec("DROP VIEW items; CREATE TABLE items (mine); INSERT INTO items VALUES ('kept')")
    await put(store, one('items', '{"id":2,"more":3}'))
  }
  {
    using store = new SqliteStore(file)
    await put(store, one('items', '{"id":3,"other":4}'))
    expect(store.tables().map(({ rows }) => rows)).toEqual([1, 3])
    expect(select(file, 'SELECT * FROM items')).toEqual([{ mine: 'kept' }])
  }
  using other = new DatabaseSync(file)
  other.exec('DROP TABLE items')
  using _store = new SqliteStore(file)
  expect(select(file, 'SELECT id, more, other FROM items').at(-1)).toEqual({ id: 3, more: null, other: 4 })
})

it('removes a table with its rows and its view, and no other; the next push makes it anew', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  {
    using store = new SqliteStore(file)
    await put(store, one('other', '{"id":0}'))
    await put(store, one('orders', '{"id":1,"old":2}'))
    await put(store, one('orders', '{"id":3}', 'x', 8))
    const waiting = put(store, one('orders', '{"id":9}'))
    const orders = tableOf(store, 'orders')!
    for (let time = 0; time < 2; time++) store.remove([orders])
    expect(await waiting).toBe(1)
    expect(tableOf(store, 'orders')).toBeUndefined()
    expect(() => select(file, 'SELECT * FROM orders')).toThrow('no such table')
    await put(store, one('orders', '{"id":4}'))
    store.remove([orders])
    expect(() => store.rows(orders)).toThrow(TableGone)
    expect(select(file, 'SELECT * FROM orders')).toEqual([{ id: 4, _point: '{"id":4}' }])
  }
  using store = new SqliteStore(file)
  expect(content(store)).toEqual([
    { clientId: 7, table: 'other', rows: 1, texts: ['{"id":0}'] },
    { clientId: 8, table: 'orders', rows: 1, texts: ['{"id":3}'] },
    { clientId: 7, table: 'orders', rows: 1, texts: ['{"id":4}'] },
  ])
  expect(select(file, `SELECT seq FROM ${ROWS}`)).toHaveLength(3)
})

it('knows when rows were written, also in a file of a release that did not', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  {
    using db = new DatabaseSync(file)
    db.exec(`${SCHEMA} INSERT INTO ${TABLES} VALUES (1, 7, 't', 't');
      INSERT INTO ${ROWS} VALUES (${rowPlaceOf(1, 1)}, 1, 'a', '{}'), (${rowPlaceOf(1, 2)}, 1, 'b', '{}')`)
  }
  for (const again of [false, true]) {
    using store = new SqliteStore(file)
    if (!again) {
      expect(store.tables()).toEqual([{ clientId: 7, table: 't', id: 1, rows: 2, writtenAt: undefined }])
      await put(store, one('t', '{"id":2}', 'b'), 1000)
      await put(store, one('t', '{"id":3}', 'c'), 2000)
    }
    expect(store.tables()).toMatchObject([{ writtenAt: 2000 }])
    expect(Array.from(rowsOf(store, 't'), ({ writtenAt }) => writtenAt)).toEqual([undefined, 1000, 2000])
  }
})
