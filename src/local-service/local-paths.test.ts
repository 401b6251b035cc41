import { expect, it } from 'vitest'
import { startLocalService, type LocalService } from './start.ts'
import type { LocalServiceOptions } from './context.ts'
import { exportTable } from './table-export.ts'
import { listTables } from './table-pages.ts'
import { testContext } from './testing/context.ts'

interface Got {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

async function ask(service: LocalService, path: string, method = 'GET', body?: unknown): Promise<Got> {
  const answer = await fetch(`${service.url}/_local/${path}`, {
    method,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text.startsWith('{') ? JSON.parse(text) : { text } }
}

async function push(service: LocalService, table: string, body: object, sandbox = ''): Promise<number | 'reset'> {
  const url = `${service.url}${sandbox}/v2/client/7/table/${table}/data?apikey=demo-key`
  return fetch(url, { method: 'POST', body: JSON.stringify(body) }).then(
    ({ status }) => status,
    () => 'reset',
  )
}

const ROW = { keys: ['id'], id: 1 }

it('serves the page and its files, guarded, and nothing beside them', async () => {
  await using service = await startLocalService({ compat: true })
  const page = await ask(service, '')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
  expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe/)
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  const main = await ask(service, 'page/main.js')
  expect(main.headers.get('x-content-type-options')).toBe('nosniff')
  expect(main.headers.get('cache-control')).toBe('no-cache')
  const again = await fetch(`${service.url}/_local/page/main.js`, {
    headers: { 'if-none-match': main.headers.get('etag')! },
  })
  expect(again.status).toBe(304)
  for (const path of ['page/', 'page/index', 'page/..%2fstart.ts', 'page/main.js/x', 'nothing', '/']) {
    const { status, body } = await ask(service, path)
    expect([path, status, body]).toEqual([path, 404, expect.objectContaining({ code: 404 })])
  }
  const moved = await fetch(`${service.url}/_local`, { redirect: 'manual' })
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '_local/'])
  expect((await ask(service, '', 'POST')).status).toBe(404)
})

it('gives an overview without keys, queries and bodies', async () => {
  let now = 1_700_000_000_000
  const options: LocalServiceOptions = { now: () => now, errorRate: 0.25, random: () => 0.9, rateLimit: 1000 }
  await using service = await startLocalService(options)
  await push(service, 'orders', [ROW, { ...ROW, id: 2, secret: 'hunter2' }])
  await push(service, 'orders', ROW, '/sandbox')
  await push(service, 'orders', { nothing: 'hunter2' })
  await ask(service, 'faults', 'POST', { table: 'orders', every: 3, answer: { status: 503, body: 'hunter2' } })
  await ask(service, 'faults', 'POST', { endpoint: 'A4', next: 2, reset: 'after' })
  service.fault({ answer: () => undefined })
  await fetch(`http://hunter2:hunter2@127.0.0.1:${service.port}/x?apikey=hunter2`).catch(() => {})
  now += 1000
  const { body, headers } = await ask(service, 'overview')
  const { connect, ...rest } = body
  expect(JSON.stringify(rest)).not.toMatch(/hunter2|demo-key|apikey/)
  expect(connect).toEqual({ client_id: 7, key: 'demo-key' })
  expect(headers.get('cache-control')).toBe('no-store')
  const request = { at: now - 1000, method: 'POST', ms: 0, points: 0, path: '/v2/client/7/table/orders/data' }
  expect(body).toMatchObject({
    now,
    data: null,
    tables: [{ client_id: 7, table: 'orders', rows: 2, written_at: now - 1000 }],
    totals: { tables: 1, rows: 2, requests: 3, failed: 1, points: 3, faults: 3 },
    sandbox: { requests: 1, points: 1 },
    requests: [
      { ...request, n: 1, status: 201, points: 2, bytes: 66 },
      { ...request, n: 2, status: 201, points: 1, bytes: 22, path: '/sandbox/v2/client/7/table/orders/data' },
      { ...request, n: 3, status: 400, bytes: 21 },
    ],
    faults: [
      { id: 1, table: 'orders', every: 3, left: null, answer: { status: 503 } },
      { id: 2, endpoint: 'A4', left: 2, reset: 'after' },
      { id: 3, left: 1, answer: 'a function' },
    ],
    settings: { latency_ms: null, error_rate: 0.25, rate_limit: 1000 },
  })
  expect((body['seconds'] as number[][]).at(-1)).toEqual([3, 3, 1])
  expect((await ask(service, 'overview?after=2')).body['requests']).toHaveLength(1)
  for (const after of ['99', '-1', 'x', '%zz']) {
    expect((await ask(service, `overview?after=${after}`)).body['requests'], after).toHaveLength(3)
  }
  expect(service.requests.recent().map(({ path }) => path)).not.toContain('/_local/overview')
})

it('ends one fault, and says when there is none', async () => {
  await using service = await startLocalService()
  for (const status of [500, 503]) service.fault({ next: 5, answer: { status } })
  expect((await ask(service, 'faults/1', 'DELETE')).status).toBe(200)
  expect((await ask(service, 'faults/1', 'DELETE')).status).toBe(404)
  expect(await push(service, 't', ROW)).toBe(503)
  for (const id of ['0', '01', 'x', '9999999999999999', '-2']) {
    expect((await ask(service, `faults/${id}`, 'DELETE')).status, id).toBe(404)
  }
  expect((await ask(service, 'faults', 'DELETE')).body).toMatchObject({ code: 200, cleared: 1 })
})

it('changes how requests go while it runs', async () => {
  await using service = await startLocalService({ random: () => 0.2 })
  const change = { error_rate: 0.5, latency_ms: { from: 0, to: 1 } }
  const settings = { ...change, rate_limit: null }
  expect((await ask(service, 'settings', 'POST', change)).body).toMatchObject({ code: 200, settings })
  expect((await ask(service, 'settings')).body).toEqual(settings)
  expect(await push(service, 't', ROW)).toBe(500)
  expect((await ask(service, 'settings', 'DELETE')).status).toBe(200)
  expect(await push(service, 't', ROW)).toBe(201)
  for (const wrong of ['', '[]', '{"error_rate":2}', '{', '{"x":1}', '\ufffe', 'x'.repeat(2 ** 20 + 1)]) {
    expect((await ask(service, 'settings', 'POST', wrong)).status).toBeGreaterThanOrEqual(400)
  }
  expect((await ask(service, 'settings')).body).toEqual({ latency_ms: null, error_rate: 0, rate_limit: null })
})

it('lists the faults that wait, without the bodies of their answers', async () => {
  await using service = await startLocalService()
  const list = async (): Promise<string> => (await fetch(`${service.url}/_local/faults`)).text()
  expect(await list()).toBe('[]\n')
  const answer = { status: 429, headers: { 'Retry-After': '2' }, body: 'canary' }
  for (const fault of [
    { table: 'orders', next: 3, answer },
    { every: 2, reset: 'after' },
  ])
    await fetch(`${service.url}/_local/faults`, { method: 'POST', body: JSON.stringify(fault) })
  expect(JSON.parse(await list())).toEqual([
    { id: 1, table: 'orders', left: 3, answer: { status: 429, retry_after: '2' } },
    { id: 2, every: 2, left: null, reset: 'after' },
  ])
})

it('ends what it answers in JSON with a line end, and gives a row as it came', async () => {
  await using service = await startLocalService()
  const row = '{"keys":["id"],"id":1}'
  await fetch(`${service.url}/v2/client/7/table/t/data?apikey=demo-key`, { method: 'POST', body: row })
  const text = async (path: string): Promise<string> => (await fetch(`${service.url}/_local/${path}`)).text()
  for (const path of ['tables', 'tables/t', 'tables/t/rows', 'overview', 'settings', 'jobs', 'clients', 'nothing'])
    expect([path, (await text(path)).match(/[\]}](\n*)$/)?.[1]]).toEqual([path, '\n'])
  expect(await text('tables/t')).toBe(`[${row}]\n`)
  expect(await text('tables/t/rows/1')).toBe(row)
  expect(await text('page/main.js')).not.toMatch(/\n\n$/)
})

it('gives a large table back in pieces that make one array', async () => {
  const it = testContext()
  const rows = Array.from({ length: 5000 }, (_, id) => `{"keys":["id"],"id":${id},"text":"${'é'.repeat(100)}"}`)
  for (const [id, row] of rows.entries()) {
    const body = Buffer.from(row)
    void it.store.upsert(7, 't', body, [{ identity: String(id), from: 0, to: body.length }], 0)
  }
  const pieces = [...((await exportTable(it, { parameters: { table: 't' }, query: '' })).body as Iterable<Uint8Array>)]
  expect(pieces.length).toBeGreaterThan(10)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000)
  expect(Buffer.concat(pieces).toString()).toBe(`[${rows.join(',\n')}]\n`)
  expect(listTables(it)).toEqual({ status: 200, body: '[{"client_id":7,"table":"t","rows":5000}]' })
})

it('answers as scripted, with the names that are written', async () => {
  await using service = await startLocalService()
  const bodies = [String.raw`{"id":1,"a\\":2}`, String.raw`{"id":1,"a\n":2}`]
  for (const body of bodies) await ask(service, 'faults', 'POST', `{"answer":{"status":503,"body":${body}}}`)
  const url = `${service.url}/v2/client/7/table/t/data?apikey=demo-key`
  for (const body of bodies) expect(await (await fetch(url, { method: 'POST', body: '{}' })).text()).toBe(body)
})

it('gives back rows of a client that is no more', async () => {
  const it = testContext()
  const body = Buffer.from('{}')
  void it.store.upsert(8, 't', body, [{ identity: '', from: 0, to: 2 }], 0)
  expect((await exportTable(it, { parameters: { table: 't' }, query: 'client_id=8' })).status).toBe(200)
  for (const query of ['', 'client_id=7', 'client_id=9', 'client_id=08', 'client_id=', 'client_id=%ff']) {
    expect((await exportTable(it, { parameters: { table: 't' }, query })).status).toBe(404)
  }
})
