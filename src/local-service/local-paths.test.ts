import { expect, it } from 'vitest'
import { AllowedOrigins } from './allowed-origins.ts'
import { Clients } from './clients.ts'
import type { Context } from './context.ts'
import { Faults } from './faults.ts'
import { clearFaults, scriptFault } from './local-paths.ts'
import { listTables, readTable } from './table-pages.ts'
import { LiveRequests } from './live-requests.ts'
import { MemoryStore } from './store.ts'
import { Settings } from './settings.ts'
import { SqlBox } from './sql/sql-box.ts'

function context(): Context {
  const settings = new Settings({ latency_ms: null, error_rate: 0, rate_limit: null }, Math.random)
  const store = new MemoryStore()
  const closing = new AbortController().signal
  return {
    clients: new Clients([{ id: 7, key: 'k' }]),
    store,
    faults: new Faults(),
    settings,
    randomFaults: settings.randomFaults,
    rateLimit: settings.rateLimit,
    payloads: undefined,
    live: new LiveRequests(),
    sql: new SqlBox(store, undefined, closing),
    command: undefined,
    data: undefined,
    host: '127.0.0.1',
    allowedOrigins: new AllowedOrigins([]),
    compat: false,
    now: () => 0,
    elapsed: () => 0,
    closing,
    onUpsert: undefined,
    onAnswered: undefined,
  }
}

it('gives a large table back in pieces that make one array', async () => {
  const it = context()
  const rows = Array.from({ length: 5000 }, (_, id) => `{"keys":["id"],"id":${id},"text":"${'é'.repeat(100)}"}`)
  for (const [id, row] of rows.entries()) {
    const body = Buffer.from(row)
    void it.store.upsert(7, 't', body, [{ identity: String(id), from: 0, to: body.length }], 0)
  }
  const pieces = [...((await readTable('t', '', it)).body as Iterable<Uint8Array>)]
  expect(pieces.length).toBeGreaterThan(10)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000)
  expect(Buffer.concat(pieces).toString()).toBe(`[${rows.join(',\n')}]\n`)
  expect(listTables(it)).toEqual({ status: 200, body: '[{"client_id":7,"table":"t","rows":5000}]' })
})

it('scripts nothing when anything is wrong', () => {
  const it = context()
  const post = (bytes: Buffer): number => scriptFault({ kind: 'body', bytes }, it).status
  expect(post(Buffer.from('{"reset":"after"}'))).toBe(201)
  expect(post(Buffer.from('{"reset":"after","x":1}'))).toBe(400)
  expect(post(Buffer.from('{"reset":"after"'))).toBe(400)
  expect(post(Buffer.from([0x22, 0xff, 0x22]))).toBe(400)
  expect(scriptFault({ kind: 'too-large', max: 1 }, it).status).toBe(413)
  expect(JSON.parse(clearFaults(it).body as string)).toMatchObject({ code: 200, cleared: 1 })
})

it('gives back rows of a client that is no more', async () => {
  const it = context()
  const body = Buffer.from('{}')
  void it.store.upsert(8, 't', body, [{ identity: '', from: 0, to: 2 }], 0)
  expect((await readTable('t', 'client_id=8', it)).status).toBe(200)
  for (const query of ['', 'client_id=7', 'client_id=9', 'client_id=08', 'client_id=', 'client_id=%ff']) {
    expect((await readTable('t', query, it)).status).toBe(404)
  }
})
