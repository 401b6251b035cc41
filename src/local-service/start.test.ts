import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { seededRandom } from './settings.ts'
import { startLocalService, type LocalService } from './start.ts'
import type { LocalServiceOptions } from './context.ts'
import { testFolder } from './testing/folder.ts'
import type { SeenUpsert } from './types.ts'

function post(service: LocalService, body: string, table = 't'): Promise<Response> {
  return fetch(`${service.url}/v2/client/7/table/${table}/data?apikey=demo-key`, { method: 'POST', body })
}

function point(id: number): string {
  return `{"keys":["id"],"id":${id}}`
}

it('gives its addresses, its rows and what it was asked', async () => {
  await using service = await startLocalService()
  expect(service.url).toBe(`http://127.0.0.1:${service.port}`)
  expect(service.sandboxUrl).toBe(`${service.url}/sandbox`)
  expect(service.rows('t')).toEqual([])
  await post(service, `[${point(1)},{"keys":["id"],"id":2,"name":"é😀"}]`)
  await post(service, 'x')
  expect(service.rows('t', 7)).toEqual([point(1), '{"keys":["id"],"id":2,"name":"é😀"}'])
  expect(service.tables()).toEqual([{ clientId: 7, table: 't', rows: 2, writtenAt: expect.any(Number) }])
  expect(service.requests.recent()).toMatchObject([
    { method: 'POST', path: '/v2/client/7/table/t/data', status: 201, points: 2 },
    { method: 'POST', path: '/v2/client/7/table/t/data', status: 400, points: 0 },
  ])
})

it('wants the client named where there are several', async () => {
  const clients = [
    { id: 7, key: 'demo-key' },
    { id: 8, key: 'k' },
  ]
  await using service = await startLocalService({ clients })
  await post(service, point(1))
  expect(service.rows('t', 7)).toEqual([point(1)])
  expect(service.rows('t', 8)).toEqual([])
  expect(() => service.rows('t')).toThrow('7, 8')
})

it('shows each upsert when it has arrived, holds it, and shows its end', async () => {
  const seen: string[] = []
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const hooks: LocalServiceOptions = {
    async onUpsert(upsert: SeenUpsert) {
      seen.push(`${upsert.table} ${upsert.sandbox} ${upsert.body.length}`)
      if (upsert.table === 'held') await gate
    },
    onAnswered: (upsert, status) => void seen.push(`${upsert.table} ${status}`),
  }
  await using service = await startLocalService(hooks)
  const held = post(service, point(1), 'held')
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(service.rows('held')).toEqual([])
  await post(service, 'x', 'other')
  expect(seen).toEqual(['held false 22', 'other false 1', 'other 400'])
  release()
  expect((await held).status).toBe(201)
  service.fault({ reset: 'after' })
  await expect(post(service, point(2), 'reset')).rejects.toThrow()
  expect(seen.slice(3)).toEqual(['held 201', 'reset false 22', 'reset reset'])
  expect(service.rows('reset')).toEqual([point(2)])
  expect(service.requests.recent().map(({ status }) => status)).toEqual([400, 201, 'reset'])
})

it('makes scripted answers of functions', async () => {
  await using service = await startLocalService()
  let count = 0
  service.fault({
    every: 1,
    answer: ({ body }) => (++count % 2 === 0 ? { status: 500, body: Buffer.from(body).toString() } : undefined),
  })
  expect((await post(service, point(1))).status).toBe(201)
  const second = await post(service, point(2))
  expect([second.status, await second.text()]).toEqual([500, point(2)])
  expect(service.clearFaults()).toBe(1)
  expect(service.rows('t')).toEqual([point(1)])
})

it('carries out a delayed upsert although its sender has gone', async () => {
  const ends: (number | 'reset')[] = []
  let arrived = (): void => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  await using service = await startLocalService({
    onUpsert: () => arrived(),
    onAnswered: (_, end) => void ends.push(end),
  })
  service.fault({ delay_ms: 50 })
  const sender = new AbortController()
  const url = `${service.url}/v2/client/7/table/t/data?apikey=demo-key`
  const sent = fetch(url, { method: 'POST', body: point(1), signal: sender.signal })
  await arrival
  sender.abort()
  await expect(sent).rejects.toThrow()
  while (ends.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(ends).toEqual([201])
  expect(service.rows('t')).toEqual([point(1)])
})

it('ends at once with upserts waiting, and twice without harm', async () => {
  const service = await startLocalService({ onUpsert: () => arrived() })
  let arrived = (): void => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  service.fault({ delay_ms: 100_000 })
  const waiting = expect(post(service, point(1))).rejects.toThrow()
  await arrival
  await Promise.all([service[Symbol.asyncDispose](), service[Symbol.asyncDispose]()])
  await waiting
  await expect(fetch(service.url)).rejects.toThrow()
})

it('keeps its rows in a file, for the next one too', async () => {
  using folder = testFolder()
  const data = folder.file('x.db')
  for (const [status, rows] of [
    [201, 1],
    [200, 1],
  ]) {
    await using service = await startLocalService({ data })
    expect((await post(service, point(1))).status).toBe(status)
    expect(service.rows('t')).toHaveLength(rows!)
    expect(await (await fetch(`${service.url}/_local/tables/t`)).text()).toBe(`[${point(1)}]\n`)
    await expect(startLocalService({ data })).rejects.toMatchObject({ kind: 'config', message: /another serve/ })
  }
})

it('lets go of its file when it cannot listen', async () => {
  using folder = testFolder()
  const data = folder.file('x.db')
  await using other = await startLocalService()
  await expect(startLocalService({ data, port: other.port })).rejects.toThrow('in use')
  await using service = await startLocalService({ data })
  expect(service.tables()).toEqual([])
})

it('loads files for its first client before it answers', async () => {
  using folder = testFolder()
  const file = folder.file('orders.jsonl')
  writeFileSync(file, `${point(1)}\n${point(2)}\n`)
  const clients = [
    { id: 9, key: 'k' },
    { id: 7, key: 'demo-key' },
  ]
  const load = [
    { table: 'orders', file },
    { table: 'Orders', file },
  ]
  await using service = await startLocalService({ clients, load })
  expect(service.tables()).toEqual([
    { clientId: 9, table: 'orders', rows: 2, writtenAt: expect.any(Number) },
    { clientId: 9, table: 'Orders', rows: 2, writtenAt: expect.any(Number) },
  ])
  writeFileSync(file, 'x')
  await expect(startLocalService({ load })).rejects.toMatchObject({ kind: 'config', message: /line 1/ })
  const signal = AbortSignal.abort()
  await expect(startLocalService({ load, signal })).rejects.toMatchObject({ name: 'AbortError' })
})

it('makes random faults of upserts that have no scripted one', async () => {
  await using service = await startLocalService({ errorRate: 0.5, random: seededRandom(3) })
  service.fault({ next: 10, answer: { status: 418 } })
  const ends: (number | 'reset')[] = []
  for (let id = 0; id < 200; id++)
    ends.push(
      await post(service, point(id)).then(
        (it) => it.status,
        () => 'reset',
      ),
    )
  expect(ends.slice(0, 10)).toEqual(Array(10).fill(418))
  const count = (end: number | 'reset'): number => ends.filter((it) => it === end).length
  expect(count(201) + count(500) + count(503) + count('reset')).toBe(190)
  for (const end of [500, 503, 'reset'] as const) expect(count(end)).toBeGreaterThan(5)
  const stored = service.rows('t').length
  expect(stored).toBeGreaterThan(count(201))
  expect(stored).toBeLessThan(count(201) + count('reset'))
  expect((await fetch(service.url)).status).toBe(200)
})

it('lets each request of the import interface wait, its own paths not', async () => {
  const asked: string[] = []
  await using service = await startLocalService({
    latency: { from: 5, to: 20 },
    random: () => {
      asked.push('latency')
      return 0.5
    },
  })
  expect((await fetch(`${service.url}/_local/tables`)).status).toBe(200)
  expect(asked).toEqual([])
  const answers = [fetch(service.url), post(service, point(1)), post(service, 'x')]
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 201, 400])
  expect(asked).toHaveLength(3)
})

it('ends at once with requests waiting for their latency', async () => {
  const service = await startLocalService({ latency: { from: 100_000, to: 100_000 } })
  const waiting = expect(post(service, point(1))).rejects.toThrow()
  await fetch(`${service.url}/_local/tables`)
  await service[Symbol.asyncDispose]()
  await waiting
})

it('says why it cannot start', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  await expect(startLocalService({ port })).rejects.toMatchObject({ kind: 'config', message: /in use/ })
  other.close()
  await expect(startLocalService({ host: '192.0.2.1' })).rejects.toThrow('this machine has no such address')
  await expect(startLocalService({ port: 70_000 })).rejects.toMatchObject({ kind: 'config', message: /70000/ })
  await expect(startLocalService({ host: 'no such host' })).rejects.toMatchObject({ kind: 'config' })
})
