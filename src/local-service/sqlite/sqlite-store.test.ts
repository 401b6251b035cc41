import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { MemoryStore } from '../store.ts'
import { FIELDS, ROWS } from './sqlite-schema.ts'
import { SqliteStore } from './sqlite-store.ts'
import { testFolder } from '../testing/folder.ts'
import { content, one, put, rowsOf, select } from '../testing/upserts.ts'

const text = fc.string({ unit: 'binary', maxLength: 4 })
const upserts = fc.array(
  fc.record({
    client: fc.constantFrom(7, 8, Number.MAX_SAFE_INTEGER),
    table: fc.constantFrom('t', 'T', 'sqlite_t', '__proto__', 'select', '0'),
    points: fc.array(
      fc.record({
        identity: fc.constantFrom('', 'a', 'a\0', 'a\0b', '\ud800', '\udc00', '\ufffd', 'é', 'x'.repeat(10_000)),
        text: fc.dictionary(text, fc.jsonValue(), { maxKeys: 4 }).map((it) => JSON.stringify(it)),
      }),
      { maxLength: 5 },
    ),
  }),
  { maxLength: 12 },
)

it('is the memory store, on a disk', async () => {
  await fc.assert(
    fc.asyncProperty(upserts, fc.nat(12), async (all, cut) => {
      using folder = testFolder()
      const file = folder.file('x.db')
      using memory = new MemoryStore()
      for (const some of [all.slice(0, cut), all.slice(cut)]) {
        using store = new SqliteStore(file)
        expect(content(store)).toEqual(content(memory))
        const expected = await Promise.all(some.map((upsert) => put(memory, upsert)))
        expect(await Promise.all(some.map((upsert) => put(store, upsert)))).toEqual(expected)
        expect(content(store)).toEqual(content(memory))
      }
      using again = new SqliteStore(file)
      expect(content(again)).toEqual(content(memory))
    }),
    { numRuns: 25 },
  )
})

it('commits what arrives in one turn as one, before it answers', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  using reader = new DatabaseSync(file, { readOnly: true })
  const changes = reader.prepare('PRAGMA data_version')
  const count = reader.prepare(`SELECT count(*) AS n FROM ${ROWS}`)
  const version = Number(changes.get()!['data_version'])
  const all = Array.from({ length: 50 }, (_, id) =>
    put(store, one('t', `{"id":${id}}`)).then((added) => [added, count.get()!['n']]),
  )
  expect(count.get()).toEqual({ n: 0 })
  expect(await Promise.all(all)).toEqual(all.map(() => [1, 50]))
  expect(changes.get()).toEqual({ data_version: version + 1 })
})

it.each(['memory', 'a file'])(
  'reads a table of %s as it was when the reading began, whatever is added meanwhile',
  async (kind) => {
    using folder = testFolder()
    using store = kind === 'memory' ? new MemoryStore() : new SqliteStore(folder.file('x.db'))
    await put(store, one('t', '{"id":1}'))
    await put(store, one('t', '{"id":2}'))
    const seen: string[] = []
    for (const { bytes: row } of rowsOf(store, 't')) {
      seen.push(Buffer.from(row).toString())
      await put(store, one('t', `{"more":${seen.length}}`))
    }
    expect(seen).toEqual(['{"id":1}', '{"id":2}'])
  },
)

it('reads large tables piece by piece, and holds nothing for a reader that leaves', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  const texts = Array.from(
    { length: 3000 },
    (_, id) => `{"id":${id},"text":"${'é'.repeat(id === 70 ? 100_000 : id % 80)}"}`,
  )
  await put(store, { client: 7, table: 't', points: texts.map((text) => ({ identity: text, text })) })
  expect(content(store)).toEqual([{ clientId: 7, table: 't', rows: 3000, texts }])
  for (const { bytes: row } of rowsOf(store, 't')) {
    expect(Buffer.from(row).toString()).toBe(texts[0])
    break
  }
  await put(store, one('t', '{}'))
  using other = new DatabaseSync(file)
  expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
})

it('refuses what it cannot store, goes on when it can, and has forgotten what was refused', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  {
    using store = new SqliteStore(file)
    await put(store, one('t', '{"id":1}'))
    using other = new DatabaseSync(file)
    // Rows go in, the fields that are new do not.
    other.exec(`ALTER TABLE ${FIELDS} RENAME TO away`)
    const refused = await Promise.allSettled([put(store, one('t', '{"b":1}')), put(store, one('new', '{"a":1}'))])
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(() => store.tables()).toThrow('no such table')
    other.exec(`ALTER TABLE away RENAME TO ${FIELDS}`)
    expect(content(store)).toEqual([{ clientId: 7, table: 't', rows: 1, texts: ['{"id":1}'] }])
    const again = [put(store, one('new', '{"a":1}')), put(store, one('t', '{"b":1}')), put(store, one('t', '{"id":1}'))]
    expect(await Promise.all(again)).toEqual([1, 1, 0])
  }
  using store = new SqliteStore(file)
  expect(store.tables().map(({ table, rows }) => [table, rows])).toEqual([
    ['t', 2],
    ['new', 1],
  ])
  expect(select(file, 'SELECT id, b FROM t')).toEqual([
    { id: 1, b: null },
    { id: null, b: 1 },
  ])
  expect(select(file, 'SELECT a FROM new')).toEqual([{ a: 1 }])
})

it('says so when the file is not whole, and lets go of it', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  new SqliteStore(file)[Symbol.dispose]()
  using other = new DatabaseSync(file)
  other.exec(`DROP TABLE ${ROWS}`)
  for (let time = 0; time < 2; time++) {
    const refused = expect.objectContaining({ kind: 'config', message: expect.stringContaining('no such table') })
    expect(() => new SqliteStore(file)).toThrow(refused)
  }
})

it('stores what waits when it is closed, and nothing after', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  const store = new SqliteStore(file)
  const waiting = put(store, one('t', '{"id":1}'))
  store[Symbol.dispose]()
  store[Symbol.dispose]()
  expect(await waiting).toBe(1)
  await expect(put(store, one('t', '{"id":2}'))).rejects.toThrow('closed')
  using again = new SqliteStore(file)
  expect(again.tables()).toEqual([{ clientId: 7, table: 't', id: 1, rows: 1, writtenAt: 0 }])
})
