import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RequestDurations } from '../run/request-durations.ts'
import { HELD_REASONS, type RunFacts } from '../run/run-facts.ts'
import { METRICS, type MetricFacts } from './metric-list.ts'
import { streamMetrics } from './metrics.ts'
import { readExposition, valueIn } from './testing/exposition.ts'
import { anyFacts, facts, partition, pauses, table, topic } from '../run/testing/facts.ts'

const usage = { residentBytes: 90e6, cpuSeconds: 2.5, startedAt: 1_795_304_501.406, loopLagSeconds: 0.02 }
const factsOf = (stream: RunFacts, now = stream.at): MetricFacts => ({ ...stream, now, version: '1.2.3', usage })

async function scraped(stream: RunFacts, now?: number): Promise<ReturnType<typeof readExposition>> {
  return readExposition(streamMetrics(() => factsOf(stream, now))().body)
}

const count = fc.nat(1e12)
const tables = fc.uniqueArray(
  fc.record({
    table: fc.string({ unit: 'grapheme', maxLength: 10 }),
    requests: count,
    rows: count,
    bytes: count,
    attempts: count,
    retries: fc.record({ throttled: count, server: count, network: count, timeout: count }),
  }),
  { selector: ({ table }) => table, maxLength: 5 },
)

test('names and units are by the conventions', () => {
  for (const { name, type, help, labels } of METRICS) {
    expect(name).toMatch(/^(analytics_stream|process|nodejs)_[a-z]+(_[a-z]+)*$/)
    expect(name.endsWith('_total')).toBe(type === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|kilobytes|mb|percent|count|sum|bucket)(_|$)/)
    expect(help).toMatch(/^[A-Z].*\.$/)
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/)
  }
  expect(new Set(METRICS.map(({ name }) => name)).size).toBe(METRICS.length)
})

test('whatever the facts are, every line is in the format, and every metric there once', async () => {
  await fc.assert(
    fc.asyncProperty(anyFacts, tables, fc.nat(1e9), async (stream, tables, now) => {
      const families = await scraped({ ...stream, tables }, now)
      expect(Array.from(families, ([name, { type, help }]) => ({ name, type, help }))).toEqual(
        METRICS.map(({ name, type, help }) => ({ name, type, help })),
      )
      for (const {
        name: topic,
        counts: { records },
      } of stream.rows)
        expect(valueIn(families, 'analytics_stream_read_records_total', { topic })).toBe(records)
      for (const { table, retries } of tables)
        expect(valueIn(families, 'analytics_stream_retries_total', { table, cause: 'timeout' })).toBe(retries.timeout)
      for (const { samples } of families.values())
        for (const { value } of samples) expect(value).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('counters never fall while partitions come and go, and what went is told no more', async () => {
  const step = fc.record({
    records: fc.nat(1000),
    partitions: fc.uniqueArray(fc.record({ topic: fc.constantFrom('a', 'b', 'c'), partition: fc.nat(3) }), {
      selector: ({ topic, partition }) => `${topic} ${partition}`,
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      let stream = facts({ group: { partitions: [] } })
      const page = streamMetrics(() => factsOf(stream))
      const before = new Map<string, number>()
      let rebalances = 0
      for (const { records, partitions } of steps) {
        const topics = [
          ...new Set([...stream.rows.map(({ name }) => name), ...partitions.map(({ topic }) => topic)]),
        ].map((name) => {
          const known = stream.rows.find((it) => it.name === name)?.counts.records ?? 0
          return topic({
            topic: name,
            records: known + records,
            written: known,
            deadLetters: { rejected: 0, refused: known },
          })
        })
        stream = facts({
          topics,
          tables: [table({ bytes: records + (stream.tables[0]?.bytes ?? 0) })],
          group: { rebalances: ++rebalances, partitions: partitions.map(partition) },
        })
        const families = readExposition(page().body)
        for (const [name, { type, samples }] of families)
          for (const { labels, value } of type === 'counter' ? samples : []) {
            const key = `${name} ${JSON.stringify(labels)}`
            expect(value, key).toBeGreaterThanOrEqual(before.get(key) ?? 0)
            before.set(key, value)
          }
        const lags = families.get('analytics_stream_consumer_lag_records')!.samples
        expect(lags.map(({ labels }) => labels)).toEqual(
          partitions.map(({ topic, partition }) => ({ topic, partition: `${partition}` })),
        )
      }
      expect(before.size).toBeGreaterThan(5)
    }),
    { numRuns: 50 },
  )
})

function reasons(start: string, counts: Readonly<Record<string, number>>): string[] {
  return HELD_REASONS.map((reason) => `${start},reason="${reason}"} ${counts[reason] ?? 0}`)
}

function buckets(result: string, counts: readonly number[], sum: number): string[] {
  const bounds = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '60', '+Inf']
  const name = 'analytics_stream_request_duration_seconds'
  return [
    ...bounds.map((le, place) => `${name}_bucket{result="${result}",le="${le}"} ${counts[place]}`),
    `${name}_sum{result="${result}"} ${sum}`,
    `${name}_count{result="${result}"} ${counts.at(-1)}`,
  ]
}

test('a topic of several tables has a series for each of them, beside its own', async () => {
  const own = { ...topic({ topic: 'events', records: 1, written: 5 }), table: undefined }
  const part = {
    ...topic({ topic: 'events', table: 'orders' }),
    counts: { records: 4 },
    pauses: undefined,
    isPart: true,
  }
  const families = await scraped(facts({ topics: [own, part] }), 0)
  const read = (name: string, labels: Readonly<Record<string, string>>): number | undefined =>
    valueIn(families, `analytics_stream_${name}`, { topic: 'events', ...labels })
  expect([read('read_records_total', {}), read('read_records_total', { table: 'orders' })]).toEqual([1, 4])
  expect(read('settled_records_total', { result: 'written' })).toBe(5)
  expect(() => read('settled_records_total', { table: 'orders', result: 'written' })).toThrow('is not told')
  expect(read('dead_letters_total', { table: 'orders', reason: 'refused' })).toBe(0)
})

test('beyond so many tables the others are summed, and no series falls or ends', async () => {
  const step = fc.array(fc.record({ of: fc.nat(9), topic: fc.constantFrom('a', 'b'), records: fc.nat(3) }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.nat(4), async (steps, most) => {
      const rows = new Map<string, number>()
      const tables = new Map<string, number>()
      let stream = facts()
      const page = streamMetrics(() => factsOf(stream), most)
      const before = new Map<string, number>()
      for (const more of steps) {
        for (const { of, topic, records } of more) {
          rows.set(`${topic} t${of}`, (rows.get(`${topic} t${of}`) ?? 0) + records)
          tables.set(`t${of}`, (tables.get(`t${of}`) ?? 0) + records)
        }
        const topics = Array.from(rows, ([row, records]) => {
          const [name, of] = row.split(' ')
          return { ...topic({ topic: name!, table: of! }), counts: { records }, isPart: true }
        })
        stream = facts({ topics, tables: Array.from(tables, ([name, sent]) => table({ table: name, attempts: sent })) })
        const families = readExposition(page().body)
        for (const metric of ['read_records_total', 'request_attempts_total']) {
          const { samples } = families.get(`analytics_stream_${metric}`)!
          expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe([...rows.values()].reduce((a, b) => a + b, 0))
          const own = new Set(samples.map(({ labels }) => labels['table']))
          if (tables.size <= most) expect(own).toEqual(new Set(tables.keys()))
          expect([...own].filter((name) => name !== '(others)').length).toBeLessThanOrEqual(most)
          const now = new Map(samples.map(({ labels, value }) => [`${metric} ${JSON.stringify(labels)}`, value]))
          for (const [key, value] of before)
            if (key.startsWith(metric)) expect(now.get(key) ?? (value === 0 ? 0 : -1)).toBeGreaterThanOrEqual(value)
          for (const [key, value] of now) before.set(key, value)
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('those with the most records have series of their own, and a page is never large', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `shop_${'x'.repeat(60)}_${at}`)
  const none = { rejected: 0, refused: 0 }
  const topics = names.map((name, at) => {
    const all = { topic: 'x'.repeat(60), table: name, records: at, written: at, rejected: 0, deadLetters: none }
    return { ...topic(all), pauses: undefined, isPart: true }
  })
  const tables = names.map((name, at) => table({ table: name, attempts: at }))
  const { body } = streamMetrics(() => factsOf(facts({ topics, tables })))()
  expect(body.length).toBeLessThan(1_000_000)
  const families = readExposition(body)
  const own = families.get('analytics_stream_delivered_rows_total')!.samples.map(({ labels }) => labels['table'])
  expect([own.length, own.includes(names[9_700]), own.includes(names[9_699])]).toEqual([301, true, false])
})

test('a stream at work', async () => {
  const durations = new RequestDurations()
  for (const ms of [5, 6, 90_000]) durations.add('delivered', ms)
  durations.add('failed', 60_000)
  const busy = facts({
    at: 9_000,
    group: {
      rebalances: 2,
      commits: { taken: 8, failed: 1 },
      schemasSince: 3_000,
      oldestAt: 2_500,
      deadLetterFailures: 5,
      partitions: [
        partition({ lag: 42n, committedAt: 1_795_304_509_250 }),
        partition({ partition: 1, lag: undefined, held: 'buffer' }),
      ],
    },
    delivery: {
      outstanding: 7,
      bufferedBytes: 1234,
      inFlight: 3,
      permits: 16,
      durations: durations.all,
      retrying: 2,
      guarded: 1,
      pausedUntil: 12_500,
      failingSince: 4_000,
    },
    topics: [
      topic({
        records: 20,
        written: 9,
        rejected: 3,
        ignored: 1,
        deadLetters: { rejected: 2, refused: 1 },
        pauses: pauses({ buffer: 4 }),
      }),
    ],
    tables: [
      table({
        requests: 4,
        rows: 8,
        bytes: 999,
        attempts: 7,
        retries: { throttled: 1, server: 0, network: 2, timeout: 0 },
      }),
    ],
  })
  const { body, ...how } = streamMetrics(() => factsOf(busy, 10_000))()
  expect(how).toEqual({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' })
  expect(body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    'analytics_stream_build_info{version="1.2.3"} 1',
    'analytics_stream_joined 1',
    'analytics_stream_rebalances_total 2',
    'analytics_stream_assigned_partitions 2',
    'analytics_stream_paused_partitions 1',
    ...reasons('analytics_stream_topic_paused_partitions{topic="orders"', { buffer: 1 }),
    ...reasons('analytics_stream_pauses_total{topic="orders"', { buffer: 4 }),
    'analytics_stream_consumer_lag_records{topic="orders",partition="0"} 42',
    'analytics_stream_commits_total 8',
    'analytics_stream_commit_failures_total 1',
    'analytics_stream_last_commit_timestamp_seconds{topic="orders",partition="0"} 1795304509.25',
    'analytics_stream_read_records_total{topic="orders"} 20',
    'analytics_stream_settled_records_total{topic="orders",result="written"} 9',
    'analytics_stream_settled_records_total{topic="orders",result="rejected"} 3',
    'analytics_stream_settled_records_total{topic="orders",result="ignored"} 1',
    'analytics_stream_dead_letters_total{topic="orders",reason="rejected"} 2',
    'analytics_stream_dead_letters_total{topic="orders",reason="refused"} 1',
    'analytics_stream_dead_letter_failures_total 5',
    'analytics_stream_unsettled_records 7',
    'analytics_stream_oldest_unsettled_age_seconds 7.5',
    'analytics_stream_buffer_bytes 1234',
    ...buckets('delivered', [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3], 90.011),
    ...buckets('refused', Array<number>(14).fill(0), 0),
    ...buckets('failed', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1], 60),
    'analytics_stream_requests_in_flight 3',
    'analytics_stream_request_permits 16',
    'analytics_stream_request_rate_limit +Inf',
    'analytics_stream_retrying_requests 2',
    'analytics_stream_guarded_requests 1',
    'analytics_stream_service_pause_seconds 2.5',
    'analytics_stream_service_failing_seconds 6',
    'analytics_stream_schema_wait_seconds 7',
    'analytics_stream_request_attempts_total{table="orders"} 7',
    'analytics_stream_retries_total{table="orders",cause="throttled"} 1',
    'analytics_stream_retries_total{table="orders",cause="server"} 0',
    'analytics_stream_retries_total{table="orders",cause="network"} 2',
    'analytics_stream_retries_total{table="orders",cause="timeout"} 0',
    'analytics_stream_delivered_requests_total{table="orders"} 4',
    'analytics_stream_delivered_rows_total{table="orders"} 8',
    'analytics_stream_delivered_bytes_total{table="orders"} 999',
    'process_resident_memory_bytes 90000000',
    'process_cpu_seconds_total 2.5',
    'process_start_time_seconds 1795304501.406',
    'nodejs_eventloop_lag_max_seconds 0.02',
  ])
})

test('what is not known is not told; nothing under way is 0', async () => {
  const idle = facts()
  const families = await scraped(idle)
  expect(families.get('analytics_stream_request_permits')!.samples).toEqual([])
  for (const name of ['oldest_unsettled_age', 'service_pause', 'service_failing'])
    expect(valueIn(families, `analytics_stream_${name}_seconds`)).toBe(0)
  const gone = await scraped(facts({ delivery: { outstanding: 3 } }))
  expect(gone.get('analytics_stream_oldest_unsettled_age_seconds')!.samples).toEqual([])
  const { body } = streamMetrics(() => ({ ...factsOf(idle), usage: undefined }))()
  expect(readExposition(body).get('process_cpu_seconds_total')!.samples).toEqual([])
})

test('tokens are told by the server that gives them', async () => {
  const token = { place: 'idp:443', expiresAt: 9_000, fetched: 4, failed: 2, failingSince: 1, cause: 'timeout' }
  const families = await scraped(facts({ group: { tokens: [token] } }), 4_000)
  const labels = { server: 'idp:443' }
  expect(valueIn(families, 'analytics_stream_token_life_seconds', labels)).toBe(5)
  expect(valueIn(families, 'analytics_stream_token_fetches_total', labels)).toBe(4)
  expect(valueIn(families, 'analytics_stream_token_fetch_failures_total', labels)).toBe(2)
  const expired = await scraped(facts({ group: { tokens: [token] } }), 10_000)
  expect(valueIn(expired, 'analytics_stream_token_life_seconds', labels)).toBe(0)
  const none = await scraped(facts({ group: { tokens: [{ ...token, expiresAt: undefined }] } }))
  expect(none.get('analytics_stream_token_life_seconds')!.samples).toEqual([])
})
