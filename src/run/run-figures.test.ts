import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runFigures } from './run-figures.ts'
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
  expect([...topics, total].map(({ lag, isLagPartial }) => [lag, isLagPartial])).toEqual([
    [(1n << 60n) + 1n, false],
    [undefined, false],
    [(1n << 60n) + 1n, true],
  ])
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

test('the total is the sum of the topics', () => {
  fc.assert(
    fc.property(anyFacts, (known) => {
      const { rows: topics, total } = runFigures(known, undefined)
      expect(topics.reduce((sum, { counts }) => sum + counts.records!, 0)).toBe(total.counts.records ?? 0)
    }),
  )
})
