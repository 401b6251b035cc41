import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { lagWords, runFigures, rateWords, underWay } from './run-figures.ts'
import { anyFacts, facts, partition, table, topic } from './testing/facts.ts'

const two = {
  topics: [topic({ records: 300, ignored: 2 }), topic({ topic: 'returns', records: 100, rejected: 1 })],
  tables: [table({ rows: 250 })],
}

test('topics that share a table have its rows once', () => {
  const { rows: topics, total } = runFigures(facts(two), undefined)
  expect(topics.map(({ counts }) => counts.rows)).toEqual([250, undefined])
  expect(total).toMatchObject({
    counts: { records: 400, rows: 250, rejected: 1, ignored: 2 },
    perSecond: undefined,
  })
})

test('rates are of the time between; a topic that is new counts from nothing', () => {
  const since = facts({ at: 1000, topics: [topic({ records: 100 })] })
  const { rows: topics, total } = runFigures(facts({ ...two, at: 3000 }), since)
  expect([...topics, total].map(({ perSecond }) => perSecond)).toEqual([100, 50, 150])
  expect(runFigures(since, since).total.perSecond).toBeUndefined()
})

test('a lag is the sum of what is known, and says what it is not', () => {
  const partitions = [
    partition({ lag: 1n << 60n }),
    partition({ partition: 1, lag: 1n }),
    partition({ topic: 'returns', lag: undefined }),
  ]
  const { rows: topics, total } = runFigures(facts({ ...two, group: { partitions } }), undefined)
  expect([...topics, total].map(lagWords)).toEqual(['1,152,921,504,606,846,977', '-', '1,152,921,504,606,846,977+'])
})

test('of a thousand topics each partition is looked at a few times, and only the rows that are shown are computed', () => {
  const topics = Array.from({ length: 1000 }, (_, index) => topic({ topic: `t${index}`, records: 1 }))
  let looks = 0
  const partitions = topics.map(({ name }) => ({
    ...partition({ lag: 1n }),
    get topic() {
      looks++
      return name
    },
  }))
  const known = facts({ topics, group: { partitions } })
  looks = 0
  const { rows, total } = runFigures(known, undefined, known.rows.slice(0, 2))
  expect(rows.map(({ lag }) => lag)).toEqual([1n, 1n])
  expect(total.lag).toBe(1000n)
  expect(looks).toBeLessThanOrEqual(3 * topics.length)
})

test('what is under way', () => {
  const delivery = { inFlight: 4, permits: 16, outstanding: 1 }
  const busy = facts({ at: 5000, delivery, group: { oldestAt: 2000 } })
  expect(underWay(busy)).toEqual([
    'generation 1 with 1 partition',
    '4 of 16 requests in flight',
    '1 record unsettled, the oldest for 3 s',
  ])
  expect(underWay(facts({ stopping: true, failed: 'transient', group: { joined: false } }))).toEqual([
    'stopped by an error (transient)',
    '0 requests in flight',
    '0 records unsettled',
  ])
})

test('how long the rest of a file takes is said only while it goes on, and is worth a second', () => {
  const reading = (more: Parameters<typeof facts>[0], read = 500_000): string =>
    underWay({ ...facts({ at: 10_000, startedAt: 0, ...more }), group: undefined, input: { read, size: 1e6 } }).join(
      '; ',
    )
  expect(reading({})).toContain('10 s, 50 % of 1.0 MB read, about 10 s left; ')
  for (const still of [
    reading({ at: 2000 }),
    reading({ stopping: true }),
    reading({ delivery: { failingSince: 4000 } }),
    reading({}, 950_000),
    reading({}, 1e6),
    reading({}, 0),
  ])
    expect(still).toMatch(/\d+ s, \d+ % of 1\.0 MB read; /)
})

test('the total is the sum of the topics', () => {
  fc.assert(
    fc.property(anyFacts, (known) => {
      const { rows: topics, total } = runFigures(known, undefined)
      expect(topics.reduce((sum, { counts }) => sum + counts.records!, 0)).toBe(total.counts.records ?? 0)
    }),
  )
})

test.each([
  ['nothing holds back', undefined, []],
  ['the permits do', 'permits', []],
  ['a learnt rate', 'rate', ['at most 245 requests/s (503 Service Unavailable)']],
] as const)('what holds requests back: %s', (_, heldBy, words) => {
  expect(rateWords({ heldBy, rate: { perSecond: 245.2, cause: '503 Service Unavailable' } })).toEqual(words)
})
