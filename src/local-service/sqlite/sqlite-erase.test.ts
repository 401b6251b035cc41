// What is removed from a data file is in none of its bytes any more.

import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { SCHEMA } from './sqlite-schema.ts'
import { SqliteStore } from './sqlite-store.ts'
import { testFolder } from '../testing/folder.ts'
import { content, one, put, tableOf } from '../testing/upserts.ts'

const SECRET = 'VERYPRIVATE'

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).filter((name) => readFileSync(`${folder}/${name}`).includes(text))
}

/** Short and long rows whose names, values and identities hold the text. */
async function fill(store: SqliteStore, table: string, text: string): Promise<void> {
  const points = Array.from({ length: 300 }, (_, id) => {
    const pad = 'x'.repeat(id % 50 === 0 ? 20_000 : id)
    return { identity: `${text}/${id}`, text: `{"keys":["${text}"],"${text}":${id},"pad":"${text}${pad}${text}"}` }
  })
  await put(store, { client: 7, table, points })
}

it.each([
  ['that is new', SCHEMA],
  ['of an earlier release', SCHEMA.replace('PRAGMA auto_vacuum = INCREMENTAL;', '')],
])('is gone from a file %s, which other tables’ rows stay in', async (what, schema) => {
  using folder = testFolder()
  const file = folder.file('x.db')
  new DatabaseSync(file).exec(schema)
  using store = new SqliteStore(file)
  await fill(store, 'kept', 'PUBLIC')
  const before = content(store)
  await fill(store, `t${SECRET}`, SECRET)
  expect(filesWith(folder.path, SECRET)).not.toEqual([])
  store.remove([tableOf(store, `t${SECRET}`)!])
  expect(filesWith(folder.path, SECRET)).toEqual([])
  expect(content(store)).toEqual(before)
  const size = statSync(file).size
  await fill(store, 'more', 'PUBLIC')
  store.remove([tableOf(store, 'more')!])
  expect(statSync(file).size).toBe(size)
  store.remove(store.tables())
  // an earlier file keeps its room for later rows
  if (what === 'that is new') expect(statSync(file).size).toBeLessThan(60_000)
})

it('is gone as soon as nobody reads the file any more', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  using store = new SqliteStore(file)
  await fill(store, 'private', SECRET)
  {
    using other = new DatabaseSync(file)
    other.exec('BEGIN; SELECT * FROM private')
    store.remove([tableOf(store, 'private')!])
    await put(store, one('t', '{}'))
    expect(filesWith(folder.path, SECRET)).not.toEqual([])
    expect(other.prepare('SELECT count(*) AS n FROM private').get()).toEqual({ n: 300 })
  }
  await put(store, one('t', '{"id":2}'))
  expect(filesWith(folder.path, SECRET)).toEqual([])
})

it('is gone at the next start, where the service was killed before', async () => {
  using folder = testFolder()
  const file = folder.file('x.db')
  const killed = new SqliteStore(file)
  await fill(killed, 'private', SECRET)
  using other = new DatabaseSync(file)
  other.exec('BEGIN; SELECT * FROM private')
  killed.remove([tableOf(killed, 'private')!])
  using copies = testFolder()
  for (const end of ['', '-wal']) copyFileSync(file + end, copies.file(`x.db${end}`))
  expect(filesWith(copies.path, SECRET)).not.toEqual([])
  using _store = new SqliteStore(copies.file('x.db'))
  expect(filesWith(copies.path, SECRET)).toEqual([])
  other.exec('ROLLBACK')
  killed[Symbol.dispose]()
})
