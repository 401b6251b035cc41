// Records the service refuses among good ones: exactly those are rejected, and finding them takes few requests. The whole
// of `write` in this process; what is bad, the local service is told by the test.

import { describe, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { workFolder } from '../connector.ts'
import type { Message } from '../connector.ts'
import { written } from '../in-process.ts'
import { record, state, stream } from './driver.ts'

const RECORDS = 10_000
const POINTS = 100
/** Requests that tell so many bad ones of a hundred, without inference (delivery sheet; between its figures: by line). */
const ORDINARY = [0, 14, 24, 31, 39, 46]
const ALLOWED = 1.3
const WORDS = 'the field v is no number'

interface Run {
  readonly code: number | 'stopped'
  readonly messages: readonly Message[]
  /** Upserts of the table, and of any. */
  readonly requests: number
  readonly all: number
  readonly rows: readonly string[]
  readonly rejects: readonly Record<string, unknown>[]
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

async function run(ids: readonly number[], isBad: (id: number) => boolean, options: object = {}): Promise<Run> {
  const requests: (string | undefined)[] = []
  await using service = await startLocalService({ onUpsert: ({ table }) => void requests.push(table) })
  service.fault({
    table: 'orders',
    every: 1,
    answer: ({ body }) => {
      const points = JSON.parse(body.toString()) as { id: number }[]
      return points.some(({ id }) => isBad(id)) ? { status: 400, body: { code: 400, message: WORDS } } : undefined
    },
  })
  await using work = await workFolder()
  const config = { import_url: service.url, client_id: 7, api_key: 'demo-key', ...options }
  const input = ids.map((id) => `${record(`{"id":${id}}`)}\n`)
  const { code, messages } = await written(
    await work.file('catalog.json', { streams: [stream('orders')] }),
    await work.file('config.json', config),
    [...input, `${state('1')}\n`].join(''),
  )
  return {
    code,
    messages,
    requests: requests.filter((table) => table === 'orders').length,
    all: requests.length,
    rows: service.rows('orders'),
    rejects: service.rows('rejected_records').map((row) => JSON.parse(row) as Record<string, unknown>),
  }
}

const divert = { on_rejected: 'divert' }
const statesOf = ({ messages }: Run): Message[] => messages.filter(({ type }) => type === 'STATE')
const errorOf = ({ messages }: Run): string => JSON.stringify(messages.filter(({ type }) => type === 'TRACE'))

describe('among 10,000', () => {
  const spread = (count: number): number[] => upTo(count).map((n) => (n * 7919 + 13) % RECORDS)
  it.each([
    ['1', spread(1)],
    ['5 anywhere', spread(5)],
    ['50 anywhere', spread(50)],
    ['5 in one request', upTo(5).map((n) => 1203 + n * 19)],
    ['50 in a row', upTo(50).map((n) => 4130 + n)],
  ])('%s bad: exactly those are rejected, with few more requests', async (_, places) => {
    const bad = new Set(places)
    const ended = await run(upTo(RECORDS), (id) => bad.has(id), divert)
    expect(ended.code).toBe(0)
    expect(ended.rows.length).toBe(RECORDS - bad.size)
    const rejected = ended.rejects.map(
      ({ message }) => (JSON.parse(String(message)) as { record: { data: { id: number } } }).record.data.id,
    )
    expect(new Set(rejected)).toEqual(bad)
    expect(rejected.length).toBe(bad.size)
    for (const { reason, stream: name, table } of ended.rejects)
      expect([reason, name, table]).toEqual([WORDS, 'orders', 'orders'])
    const inRequest = Map.groupBy(bad, (id) => Math.floor(id / POINTS))
    const ordinary = [...inRequest.values()].reduce((sum, ids) => sum + (ORDINARY[ids.length] ?? 1.2 * POINTS), 0)
    expect(ended.requests - RECORDS / POINTS).toBeLessThanOrEqual(ALLOWED * ordinary)
    const [{ state: last }] = statesOf(ended) as unknown as [{ state: { destinationStats: object } }]
    expect(last.destinationStats).toEqual({ recordCount: RECORDS - bad.size, rejectedRecordCount: bad.size })
  })
})

describe('a table that refuses everything', () => {
  it.each([['divert'], ['fail']])('stops a run that would %s, soon and with its words', async (policy) => {
    const ended = await run(upTo(RECORDS), () => true, { on_rejected: policy, concurrency: 1 })
    expect(ended.code).toBe(1)
    expect(ended.all).toBeLessThanOrEqual(1 + 17)
    expect(errorOf(ended)).toContain(WORDS)
    expect(errorOf(ended)).toContain('The service refuses table')
    expect(errorOf(ended)).toContain('config_error')
    expect([ended.rows, ended.rejects, statesOf(ended)]).toEqual([[], [], []])
  })

  it('is found out while others are in flight: those aside, as soon', async () => {
    const ended = await run(upTo(RECORDS), () => true, { ...divert, concurrency: 16 })
    expect(ended.all).toBeLessThanOrEqual(16 + 17)
  })
})
