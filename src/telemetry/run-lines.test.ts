import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { logLine } from './log.ts'
import type { LogFields } from './log.ts'
import { progressEntry, streamLines } from './run-lines.ts'
import { anyFacts, facts, partition, table, topic } from './testing/facts.ts'

const running = (at: number) =>
  facts({
    at,
    topics: [topic({ records: at })],
    tables: [table({ rows: at / 2 })],
    group: { partitions: [partition({ lag: 5n })] },
    delivery: { outstanding: 3, inFlight: 1, permits: 8, oldestAt: at - 1500 },
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
      'stream: 61,000 records, 30,500 rows sent, 0 rejected, 0 ignored, lag 5, 1,000 records/s; generation 1 with 1 partition; 1 of 8 requests in flight; 3 records unsettled, the oldest for 1 s',
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
      outstanding_records: 3,
      oldest_unsettled_seconds: 1.5,
      buffered_bytes: 0,
      waits: [],
      topics: [
        {
          topic: 'orders',
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

test('it comes as often as asked, and once at the end', async () => {
  const entries: LogFields[] = []
  const log = async (_level: string, _message: string, fields: LogFields = {}): Promise<void> =>
    void entries.push(fields)
  {
    using progress = streamLines({ log, everyMs: 60_000 })
    for (let at = 0; at <= 130_000; at += 1000) {
      progress.show(running(at))
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
    using progress = streamLines({ log, everyMs: 60_000 })
    for (let at = 0; at <= 30_000; at += 1000) {
      const inFlight = at < 20_000 ? 1 : 0
      progress.show({ ...running(at), stopping: at >= 5000, delivery: { ...running(at).delivery, inFlight } })
      await Promise.resolve()
    }
  }
  expect(entries.map(([, fields]) => fields['uptime_seconds'])).toEqual([7, 17, 27, 30])
  expect(entries.map(([message]) => message.includes('; stopping; '))).toEqual([true, true, true, true])
  const leaving = 'the last offsets are committed, the group is left'
  expect(entries.map(([message]) => message.includes(leaving))).toEqual([false, false, true, false])
})

test('a reader that does not read gets no further entries', async () => {
  let entries = 0
  const log = (): Promise<void> => {
    entries++
    return new Promise(() => {})
  }
  const progress = streamLines({ log, everyMs: 1000 })
  for (let at = 0; at <= 10_000; at += 1000) progress.show(running(at))
  expect(entries).toBe(1)
})

test('a stream that never showed anything ends without an entry', () => {
  let entries = 0
  streamLines({ log: async () => void entries++, everyMs: 1000 })[Symbol.dispose]()
  expect(entries).toBe(0)
})

test('of any facts it is one line of bounded length', () => {
  fc.assert(
    fc.property(anyFacts, (known) => {
      const { message, fields } = progressEntry(known, undefined)
      const line = logLine(0, 'info', message, fields)
      const { topics } = JSON.parse(line) as { topics: unknown[] }
      expect(topics.length).toBe(Math.min(20, known.topics.length))
    }),
  )
})
