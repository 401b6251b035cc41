// A table that is removed while somebody reads it: no reader gets another table's rows, or a part as if it were the whole.

import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { Context } from './context.ts'
import { createHttpServer } from './http-server.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import { startLocalService } from './start.ts'
import { MemoryStore, TableGone, type Store, type StoredRow } from './store.ts'
import { exportTable } from './table-export.ts'
import { pageOfTable } from './table-pages.ts'
import type { TableRequest } from './table-query.ts'
import { testContext } from './testing/context.ts'
import { testFolder } from './testing/folder.ts'
import { content, put, tableOf } from './testing/upserts.ts'

const KINDS = ['memory', 'a file'] as const

/** With 300 rows of 1,000 bytes in table `mine`, more than are read at a time. */
async function filled(file: string | undefined): Promise<Store> {
  const store = file === undefined ? new MemoryStore() : new SqliteStore(file)
  await push(store, 'mine')
  return store
}

async function push(store: Store, table: string, client = 7): Promise<void> {
  const points = Array.from({ length: 300 }, (_, id) => {
    const text = `{"keys":["id"],"id":${id},"of":"${table}","pad":"${'x'.repeat(950)}"}`
    return { identity: String(id), text }
  })
  await put(store, { client, table, points })
}

it.each(KINDS)('reads on in no table that comes in the place of a removed one, in %s', async (kind) => {
  using folder = testFolder()
  using store = await filled(kind === 'memory' ? undefined : folder.file('x.db'))
  const mine = tableOf(store, 'mine')!
  const reading = store.rows(mine)[Symbol.iterator]()
  const seen = [reading.next().value]
  store.remove([mine])
  await push(store, 'salaries', 8)
  await push(store, 'mine')
  expect(() => {
    for (let next = reading.next(); next.done !== true; next = reading.next()) seen.push(next.value)
  }).toThrow(TableGone)
  expect(seen.length).toBeLessThan(300)
  expect(seen.filter((row) => !Buffer.from(row!.bytes).includes('"of":"mine"'))).toEqual([])
  expect(() => store.rows(mine)).toThrow(TableGone)
  store.remove([mine])
  expect(new Set(store.tables().map(({ id }) => id)).add(mine.id).size).toBe(3)
  expect(content(store)).toMatchObject([
    { clientId: 8, table: 'salaries', rows: 300 },
    { clientId: 7, table: 'mine', rows: 300 },
  ])
})

it('gives no number twice in a file, whatever is removed and whenever a transaction fails', async () => {
  using folder = testFolder()
  using store = new SqliteStore(folder.file('x.db'))
  const seen = new Set<number>()
  for (let round = 1; round <= 5; round++) {
    for (const table of ['a', 'b']) await push(store, table)
    for (const { id } of store.tables()) seen.add(id)
    expect(seen.size).toBe(2 * round)
    store.remove(store.tables())
    const broken = {
      clientId: 7,
      table: 'c',
      body: Buffer.from('no point'),
      points: [{ identity: '', from: 0, to: 8 }],
    }
    await expect(store.upsert(broken.clientId, broken.table, broken.body, broken.points, 0)).rejects.toThrow(
      'not a point',
    )
    expect(store.tables()).toEqual([])
  }
})

type Reader = readonly [what: string, read: (context: Context) => Promise<unknown>]

const mine = (query: string): TableRequest => ({ parameters: { table: 'mine' }, query })

const READERS: readonly Reader[] = [
  ['a search', (context) => pageOfTable(context, mine('search=x'))],
  ['a sort', (context) => pageOfTable(context, mine('sort=id'))],
  ['an export of what is found', (context) => exportTable(context, mine('search=x'))],
  ['an export as CSV', (context) => exportTable(context, mine('format=csv'))],
]
const CASES = KINDS.flatMap((kind) => READERS.map(([what, read]) => [kind, what, read] as const))

it.each(CASES)('ends, in %s, %s whose table is removed', async (kind, _, read) => {
  using folder = testFolder()
  using store = await filled(kind === 'memory' ? undefined : folder.file('x.db'))
  let clock = 0
  // a turn of the event loop after each row
  const reading = read({ ...testContext(store), elapsed: () => (clock += 11) })
  store.remove([tableOf(store, 'mine')!])
  await push(store, 'mine')
  await expect(reading).rejects.toThrow(TableGone)
})

/** Its tables are removed as the 100th row of one is read. */
class Removing extends MemoryStore {
  override *rows(...asked: Parameters<MemoryStore['rows']>): Generator<StoredRow> {
    let n = 0
    for (const row of super.rows(...asked)) {
      yield row
      if (++n === 100) this.remove(this.tables())
    }
  }
}

it('answers 404, and says why, before anything of the answer is sent', async () => {
  using store = new Removing()
  const server = createHttpServer(testContext(store))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_local`
  for (const path of ['/tables/mine/rows?sort=id', '/tables/mine?format=csv']) {
    await push(store, 'mine')
    const answer = await fetch(url + path)
    expect(await answer.json()).toMatchObject({ code: 404, reasons: ['the table was removed while it was read'] })
  }
  await new Promise((resolve) => server.close(resolve))
})

const CLIENTS = [
  { id: 7, key: 'demo-key' },
  { id: 8, key: 'k' },
]
const WAYS = ['/mine?client_id=7', '?client_id=7', ''] as const
const EXPORTS = ['', '&format=csv', '&search=x', '&search=x&format=csv'] as const

async function upsert(url: string, table: string, length = 100, client = 7, key = 'demo-key'): Promise<void> {
  const points = Array.from({ length }, (_, id) => ({ keys: ['id'], id, of: table, pad: 'x'.repeat(150_000) }))
  const answer = await fetch(`${url}/v2/client/${client}/table/${table}/data?apikey=${key}`, {
    method: 'POST',
    body: JSON.stringify(points),
  })
  expect(answer.status).toBe(201)
}

it.each(KINDS)('breaks the connection of an export under way, in %s', async (kind) => {
  using folder = testFolder()
  const data = kind === 'memory' ? {} : { data: folder.file('x.db') }
  await using service = await startLocalService({ ...data, clients: CLIENTS })
  for (const [index, what] of EXPORTS.entries()) {
    await upsert(service.url, 'mine')
    const answer = await fetch(`${service.url}/_local/tables/mine?client_id=7${what}`)
    const reader = answer.body!.getReader()
    let text = Buffer.from((await reader.read()).value).toString()
    const way = `${service.url}/_local/tables${WAYS[index % WAYS.length]}`
    expect((await fetch(way, { method: 'DELETE' })).status).toBe(200)
    await upsert(service.url, 'salaries', 3, 8, 'k')
    await upsert(service.url, 'mine', 3)
    const drain = async (): Promise<void> => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        text += Buffer.from(value).toString()
      }
    }
    await expect(drain(), what).rejects.toThrow('terminated')
    expect(text).toContain('mine')
    expect(text).not.toContain('salaries')
    expect((await fetch(`${service.url}/_local/tables`, { method: 'DELETE' })).status).toBe(200)
  }
})

it('resets the connection of a reader to whom its end is the end of the answer', async () => {
  await using service = await startLocalService()
  await upsert(service.url, 'mine')
  const socket = connect(service.port, '127.0.0.1')
  socket.write('GET /_local/tables/mine?client_id=7&format=csv HTTP/1.0\r\n\r\n')
  await once(socket, 'readable')
  const failed = once(socket, 'end').then(() => expect.unreachable())
  await fetch(`${service.url}/_local/tables`, { method: 'DELETE' })
  socket.resume()
  await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' })
})
