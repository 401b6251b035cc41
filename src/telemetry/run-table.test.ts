import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyFacts, facts, partition, table, topic } from '../run/testing/facts.ts'
import { displayWidth } from '../text/display-width.ts'
import { renderRun } from './run-terminal.ts'

const since = facts({ at: 1000 })
const busy = facts({
  at: 11_000,
  group: {
    partitions: [partition({ lag: 12n }), partition({ topic: 'shop.returns', lag: undefined })],
    oldestAt: 9000,
  },
  delivery: { inFlight: 4, permits: 16, outstanding: 1234 },
  topics: [
    topic({ records: 12_345, ignored: 3 }),
    topic({ topic: 'shop.returns', table: 'shop_returns', records: 20, rejected: 1 }),
  ],
  tables: [table({ rows: 12_000 }), table({ table: 'shop_returns', rows: 7 })],
})

test('a row a topic, a total, and what is under way', () => {
  expect(renderRun(busy, since, { columns: 80, rows: 24 })).toEqual([
    'Topic         Records  Rows sent  Rejected  Ignored  Lag  Records/s',
    'orders         12,345     12,000         0        3   12      1,235',
    'shop.returns       20          7         1        0    -          2',
    'Total          12,365     12,007         1        3  12+      1,237',
    'Generation 1 with 2 partitions; 4 of 16 requests in flight; 1,234 records',
    '  unsettled, the oldest for 2 s',
  ])
})

test('what is wrong comes first, what is only held last', () => {
  const down = facts({
    at: 11_000,
    group: { partitions: [partition({ held: 'fetched_ahead' })] },
    delivery: { outstanding: 5, failingSince: 4000, failingCause: 'connection refused' },
  })
  const [state] = renderRun(down, since, { columns: 400, rows: 24 }).slice(-1)
  expect(state).toMatch(
    /^The service has been down for 7 s \(connection refused\); generation 1 .*; 1 partition held, enough is fetched ahead$/,
  )
})

test('on a narrow terminal the columns that matter least go, then the name is cut', () => {
  expect(renderRun(busy, since, { columns: 40, rows: 24 }).slice(0, 3)).toEqual([
    'Topic         Records  Rejected  Lag',
    'orders         12,345         0   12',
    'shop.returns       20         1    -',
  ])
  expect(renderRun(busy, since, { columns: 10, rows: 24 }).slice(0, 3)).toEqual(['Topic', 'orders', 'shop.ret…'])
})

test('of replayed dead letters there is no lag, and a file has no generation', () => {
  const [head, , state] = renderRun({ ...busy, rows: busy.rows.slice(0, 1), replays: true, group: undefined }, since, {
    columns: 80,
    rows: 24,
  })
  expect(head).toBe('Topic   Records  Rows sent  Rejected  Ignored  Records/s')
  expect(state).toMatch(/^11 s; 4 of 16 requests in flight; /)
})

test('where there is no room for all topics, those furthest behind are shown, in their order', () => {
  const topics = 'abcdefghij'.split('').map((name) => topic({ topic: name, table: name }))
  const partitions = topics.map(({ name }, index) => partition({ topic: name, lag: BigInt((index * 7) % 10) }))
  const lines = renderRun(facts({ topics, group: { partitions } }), undefined, { columns: 200, rows: 8 })
  expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
    'Topic',
    'b',
    'e',
    'h',
    '… and 7 more topics',
    'Total',
    expect.stringContaining('Generation'),
  ])
})

test('any facts fit any terminal', () => {
  const size = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
  fc.assert(
    fc.property(anyFacts, fc.option(anyFacts, { nil: undefined }), size, (known, since, size) => {
      const lines = renderRun(known, since, size)
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, size.rows - 1))
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(1, size.columns - 1))
        // oxlint-disable-next-line no-control-regex
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      }
    }),
  )
})
