import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EndingFacts } from '../core/tally.ts'
import type { LogFields } from '../process/io.ts'
import type { RunCounts } from '../run/counts.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { anyFacts, facts, partition, table, topic, type Changes } from '../run/testing/facts.ts'
import { logLine } from './log.ts'
import { progressEntry, runLines, streamLines, summaryLines, writeEntry } from './run-entries.ts'

const running = (at: number) =>
  facts({
    at,
    topics: [topic({ records: at })],
    tables: [table({ rows: at / 2 })],
    group: { partitions: [partition({ lag: 5n })], oldestAt: at - 1500 },
    delivery: {
      outstanding: 3,
      inFlight: 1,
      permits: 8,
      rate: { perSecond: 244.6, cause: '429 Too Many Requests' },
      heldBy: 'rate',
    },
  })

test('one of each is told in the singular', () => {
  const one = (at: number) =>
    facts({
      at,
      topics: [topic({ records: at === 0 ? 0 : 1 })],
      tables: [table({ rows: 1 })],
      delivery: { outstanding: 1, inFlight: 1, permits: undefined },
    })
  expect(progressEntry(one(1000), one(0)).message).toBe(
    'stream: 1 record, 1 row sent, 0 rejected, 0 ignored, lag 0, 1 record/s; generation 1 with 1 partition; 1 request in flight; 1 record unsettled',
  )
})

test('an entry has a sentence for people and the figures for machines', () => {
  expect(progressEntry(running(61_000), running(1000))).toEqual({
    message:
      'stream: 61,000 records, 30,500 rows sent, 0 rejected, 0 ignored, lag 5, 1,000 records/s; generation 1 with 1 partition; 1 of 8 requests in flight; at most 245 requests/s (429 Too Many Requests); 3 records unsettled, the oldest for 1 s',
    fields: {
      records: 61_000,
      rows_sent: 30_500,
      rejected: 0,
      ignored: 0,
      lag: 5,
      records_per_second: 1000,
      uptime_seconds: 61,
      joined: true,
      generation: '1',
      rebalances: 0,
      partitions: 1,
      partitions_held: 0,
      in_flight: 1,
      permits: 8,
      rate_limit: 244.6,
      held_by: 'rate',
      outstanding_records: 3,
      oldest_unsettled_seconds: 1.5,
      buffered_bytes: 0,
      waits: [],
      topics: [
        {
          topic: 'orders',
          table: 'orders',
          records: 61_000,
          rows_sent: 30_500,
          rejected: 0,
          ignored: 0,
          lag: 5,
          records_per_second: 1000,
        },
      ],
    },
  })
})

test('a figure that is not known is null, so that each entry has the same fields', () => {
  const idle = facts({
    at: 61_000,
    topics: [topic({})],
    group: { generation: undefined, partitions: [partition({ lag: undefined })] },
    delivery: { outstanding: 0, inFlight: 0, permits: undefined },
  })
  const { fields } = progressEntry(idle, idle)
  expect(Object.keys(fields)).toEqual(Object.keys(progressEntry(running(61_000), running(1000)).fields))
  expect(JSON.parse(JSON.stringify(fields))).toMatchObject({
    generation: null,
    permits: null,
    oldest_unsettled_seconds: null,
    lag: null,
    records_per_second: null,
  })
})

test('of any facts it is one line of bounded length', () => {
  fc.assert(
    fc.property(anyFacts, (known) => {
      const { message, fields } = progressEntry(known, undefined)
      const line = logLine(0, 'info', message, fields)
      const { topics } = JSON.parse(line) as { topics: unknown[] }
      expect(topics.length).toBe(Math.min(20, known.rows.length))
    }),
  )
})

/** Facts of `write`, which has read so much of a stream.
 *  @param counts of its records, and rows that were sent */
function writing(at: number, counts: RunCounts, delivery: Changes['delivery'] = {}, more: Changes = {}): RunFacts {
  const { rows = 0, bytes = 0, retries: network = 0, ...own } = counts
  const sent = table({ rows, bytes, retries: { throttled: 0, server: 0, network, timeout: 0 } })
  const stream = { name: 'shop.orders', table: 'orders', counts: { written: 0, rejected: 0, unsettled: 0, ...own } }
  return { ...facts({ at, ...more, topics: [stream], tables: [sent], delivery }), group: undefined }
}

test('a run that moves, and one that does not', () => {
  const stuck = {
    outstanding: 1,
    heldCheckpoints: 1,
    retrying: 2,
    guarded: 1,
    permits: 16,
    settledAt: 61_000,
    failingSince: 81_000,
    failingCause: '503 Service Unavailable',
    pausedUntil: 133_500,
  }
  const read = (records: number) => ({ records, rows: 1_234_000, rejected: 4 })
  const [begun, moving, still, later] = [
    writing(1000, { records: 0 }),
    writing(61_000, read(1_235_000), { outstanding: 567, inFlight: 12, permits: 16, settledAt: 61_000 }),
    writing(121_000, read(1_235_600), stuck),
    writing(241_000, read(1_235_600), stuck),
  ]
  expect(writeEntry(moving, begun).message).toBe(
    'Under way: 1,235,000 records (20,583/s), 1,234,000 rows sent, 4 rejected, 567 unsettled; 12 of 16 requests in flight',
  )
  expect(writeEntry(still, moving).message).toBe(
    'Under way: 1,235,600 records (10/s), 1,234,000 rows sent, 4 rejected, 1 unsettled; 0 of 16 requests in flight; 1 checkpoint held; ' +
      'the service has been down for 40 s (503 Service Unavailable) and asked for a pause of another 12 s; 2 batches to be sent again; ' +
      'keys of 1 batch held by the late-write guard (nothing to do); nothing settled for 60 s',
  )
  expect(writeEntry(later, still).message).toMatch(/\(0\/s\).*; nothing settled for 180 s$/)
})

const readingOver = {
  isReadingOver: true,
  stopsAt: undefined,
  isCommitting: false,
  rejecting: 0,
  retryAt: undefined,
  guardedKeys: 0,
  guardedUntil: undefined,
}

test('why a run that reads no more has not ended', () => {
  const ending = { ...readingOver, retryAt: 7500, guardedKeys: 2, guardedUntil: 61_000 }
  const said = (at: number, delivery: Changes['delivery']): string =>
    writeEntry(writing(at, { records: 1 }, { permits: 16, ...delivery }), writing(0, { records: 0 })).message
  const waiting = { outstanding: 1200, inFlight: 3, retrying: 1, guarded: 1, pausedUntil: 9000, ending }
  expect(said(1000, { ...waiting, ending: { ...ending, isReadingOver: false } })).toMatch(/^Under way/)
  expect(said(1000, waiting)).toBe(
    'Nothing more is read: 1,200 records unsettled, 3 of 16 requests in flight; the service asked for a pause of another 8 s; ' +
      '1 batch to be sent again, the next in 6 s; 2 keys held by the late-write guard for another 60 s at most (nothing to do)',
  )
  const stopping = { ...readingOver, stopsAt: 21_000, isCommitting: true }
  expect(said(10_000, { outstanding: 1, inFlight: 1, ending: stopping })).toBe(
    'Stopping, nothing more is sent: 1 record unsettled, 1 of 16 requests in flight; requests in flight have another 11 s; ' +
      'a STATE waits until standard output is read',
  )
})

const summarised = (counts: RunCounts, seconds: number, more: Changes = {}): string[] =>
  summaryLines(writing(seconds * 1000, counts, {}, more))

test('what was dropped when a record ended the run is not delivered', () => {
  expect(summarised({ records: 1250, unsettled: 1240 }, 2)[0]).toMatch(/, 1,240 not delivered$/)
})

test('where rejected records are is told at the end, if there are any', () => {
  const rejectsPlace = 'the table "x"'
  expect(summarised({ records: 1234, rejected: 1000 }, 2, { rejectsPlace })).toEqual([
    'shop.orders: 1,234 records, 0 rows sent, 1,000 rejected, 0 retries, 0 B',
    'Total: 1,234 records, 0 rows sent, 1,000 rejected, 0 retries, 0 B, 2.0 s, 617 records/s',
    'Rejected: 1,000 (older versions of their rows included), kept in the table "x"',
  ])
  expect(summarised({ records: 1234 }, 2, { rejectsPlace })).toHaveLength(2)
  expect(summarised({ records: 1234, rejected: 3 }, 2)).toHaveLength(2)
  // a stream without records has no line
  expect(summarised({}, 2)).toHaveLength(1)
})

test('one of each is told in the singular in a line of write', () => {
  const one = writing(1000, { records: 1, rows: 1 }, { outstanding: 1, inFlight: 1, permits: 1 })
  expect(writeEntry(one, writing(0, { records: 0 })).message).toMatch(
    /^Under way: 1 record \(1\/s\), 1 row sent, 0 rejected, 1 unsettled; 1 of 1 request in flight/,
  )
})

test('one of each is told in the singular in a summary', () => {
  expect(summarised({ records: 1, rows: 1, retries: 1, bytes: 9 }, 1)).toEqual([
    'shop.orders: 1 record, 1 row sent, 0 rejected, 1 retry, 9 B',
    'Total: 1 record, 1 row sent, 0 rejected, 1 retry, 9 B, 1.0 s, 1 record/s',
  ])
})

const reading = (at: number, delivery: Changes['delivery'] = {}) =>
  facts({ at, topics: [topic({ records: at })], delivery })

test('it comes as often as asked, and once at the end', async () => {
  const entries: LogFields[] = []
  const log = async (_level: string, _message: string, fields: LogFields = {}): Promise<void> =>
    void entries.push(fields)
  {
    using progress = streamLines(log)
    for (let at = 0; at <= 130_000; at += 1000) {
      progress.show(reading(at))
      await Promise.resolve()
    }
  }
  expect(entries.map((fields) => [fields['records'], fields['records_per_second']])).toEqual([
    [60_000, 1000],
    [120_000, 1000],
    [130_000, 1000],
  ])
})

test('an end that takes more than 2 s is told of, and again every 10 s', async () => {
  const entries: [string, LogFields][] = []
  const log = async (_level: string, message: string, fields: LogFields = {}): Promise<void> =>
    void entries.push([message, fields])
  {
    using progress = streamLines(log)
    for (let at = 0; at <= 30_000; at += 1000) {
      const inFlight = at < 20_000 ? 1 : 0
      progress.show({ ...reading(at, { inFlight }), stopping: at >= 5000 })
      await Promise.resolve()
    }
  }
  expect(entries.map(([, fields]) => fields['uptime_seconds'])).toEqual([7, 17, 27, 30])
  expect(entries.map(([message]) => message.includes('; stopping; '))).toEqual([true, true, true, true])
  const leaving = 'the last offsets are committed, the group is left'
  expect(entries.map(([message]) => message.includes(leaving))).toEqual([false, false, true, false])
})

test('a stream that never showed anything ends without an entry', () => {
  let entries = 0
  streamLines(async () => void entries++)[Symbol.dispose]()
  expect(entries).toBe(0)
})

test('a line a minute, none while one has not left, none after the end', async () => {
  const said: string[] = []
  let left = Promise.withResolvers<void>()
  const log = (level: string, message: string): Promise<void> => {
    said.push(`${level} ${message}`)
    return left.promise
  }
  const lines = runLines(log, ({ at }) => ({ message: `at ${at}` }))
  lines.show(reading(0))
  lines.show(reading(59_000))
  expect(said).toEqual([])
  lines.show(reading(60_000))
  lines.show(reading(120_000))
  expect(said).toEqual(['info at 60000'])
  left.resolve()
  left = Promise.withResolvers()
  left.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  lines.show(reading(180_000))
  expect(said).toEqual(['info at 60000', 'info at 180000'])
})

test('an end of reading that takes more than 2 s is told of, then every 10 s', async () => {
  const said: string[] = []
  const log = async (level: string, message: string): Promise<void> => void said.push(`${level} ${message}`)
  const lines = runLines(log, ({ at }) => ({ message: `at ${at}` }))
  for (let at = 0; at < 58_000; at += 1000) {
    lines.show(at < 31_000 ? reading(at) : reading(at, { ending: { isReadingOver: true } as EndingFacts }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(said).toEqual(['info at 33000', 'info at 43000', 'info at 53000'])
})
