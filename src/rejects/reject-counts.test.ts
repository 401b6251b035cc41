import { expect, test } from 'vitest'
import type { Rejected } from '../core/types.ts'
import { RejectCounts } from './reject-counts.ts'

const table = { name: 'orders', keepLast: true }
const rejected = (more: Partial<Rejected<number>> = {}): Rejected<number> => {
  return { track: { name: 'orders' }, table, reason: 'CANARY', origin: 1, superseded: 0, supersededAt: [], ...more }
}
const at = (place: string, reason = 'CANARY', name = 'orders') => ({ name, place, reason })

const keeping =
  (counts: RejectCounts) =>
  (...one: Parameters<RejectCounts['kept']>): void => {
    counts.add(...one)
    counts.kept(...one)
  }

test('records are counted by name, table, who rejected them and why, those they stood for too, with the first place', () => {
  const counts = new RejectCounts()
  const keep = keeping(counts)
  keep(rejected(), at('line 1', 'its value is not JSON: it breaks at byte 7 of 90'))
  keep(rejected(), at('line 2', 'its value is not JSON: it breaks at byte 8 of 12'))
  keep(rejected(), at('line 3', 'its key field "id" is null'))
  keep(rejected({ key: 'CANARY', superseded: 4 }), at('line 4'))
  keep(rejected({ key: 'CANARY', reason: '409: CANARY' }), at('line 5'))
  const reason = 'the service says the request is too large (413), CANARY'
  keep(rejected({ key: undefined, reason }), at('line 6', 'CANARY', 'users'))
  const all = counts.all.map(({ name, table, by, reason, records, first }) =>
    [name, table, by, records, first, reason].join(' | '),
  )
  expect(all).toEqual([
    'orders | orders | refused | 5 | line 4 | the service answered 400',
    'orders | orders | rejected | 2 | line 1 | its value is not JSON: it breaks at byte … of …',
    'orders | orders | rejected | 1 | line 3 | its key field "id" is null',
    'orders | orders | refused | 1 | line 5 | the service answered 409',
    'users | orders | refused | 1 | line 6 | the service answered 413',
  ])
  expect(counts.commonestOf('orders')).toMatchObject({ first: 'line 4', records: 5, times: 1 })
  expect([counts.keptOf('orders'), counts.keptOf('users'), counts.keptOf('clients')]).toEqual([
    { rejected: 3, refused: 2 },
    { rejected: 0, refused: 1 },
    { rejected: 0, refused: 0 },
  ])
})

test('of too many reasons the rest is counted together, but what is kept of a name stays known', () => {
  const counts = new RejectCounts()
  const keep = keeping(counts)
  for (let index = 0; index < 1000; index++)
    keep(rejected(), at(`line ${index}`, `reason ${'x'.repeat(index)}`, `stream ${index}`))
  keep(rejected(), at('line 1000', 'reason', 'stream 999'))
  expect(counts.all.length).toBeLessThanOrEqual(102)
  expect(counts.all.reduce((sum, { records }) => sum + records, 0)).toBe(1001)
  const first = 'line 100'
  expect(counts.all[0]).toMatchObject({ name: 'any other', reason: 'any other reason', records: 901, first })
  for (const { reason } of counts.all) expect(reason.length).toBeLessThanOrEqual(300)
  expect(counts.commonestOf('stream 999')).toBe(counts.all[0])
  expect(counts.keptOf('stream 999')).toEqual({ rejected: 2, refused: 0 })
})

test('of records that end the run the first is told, without data, and none is kept', () => {
  const counts = new RejectCounts()
  const error = new Error('CANARY')
  counts.stopped(rejected({ key: 'CANARY', superseded: 2 }), at('line 7'), error)
  counts.stopped(rejected(), at('line 8', 'it is null'), new Error('another'))
  const count = {
    name: 'orders',
    table: 'orders',
    by: 'refused',
    reason: 'the service answered 400',
    records: 3,
    times: 1,
  }
  expect(counts.stop).toEqual({ ...count, first: 'line 7', order: Infinity, error })
  expect(counts.all.map(({ records }) => records)).toEqual([3, 1])
  expect(counts.keptOf('orders')).toEqual({ rejected: 0, refused: 0 })
})

test('one that is taken back leaves no trace', () => {
  const counts = new RejectCounts()
  counts.add(rejected({ superseded: 2 }), at('line 1', 'a'))
  counts.add(rejected(), at('line 2', 'b'))
  counts.add(rejected({ superseded: 1 }), at('line 3', 'a'))
  counts.takeBack(rejected({ superseded: 1 }), at('line 3', 'a'))
  counts.takeBack(rejected(), at('line 2', 'b'))
  expect(counts.all).toMatchObject([{ reason: 'a', records: 3, times: 1, first: 'line 1' }])
  expect(counts.all).toHaveLength(1)
})

test('the first of a reason is the first in the input, whatever is found first; without an order it is that', () => {
  const counts = new RejectCounts()
  const lines = [7, 3, 9, 1, 4]
  for (const order of lines) counts.add(rejected(), { ...at(`line ${order}`, 'a'), order })
  for (const order of lines) counts.add(rejected(), at(`line ${order}`, 'b'))
  expect(counts.all.map(({ reason, first }) => [reason, first])).toEqual([
    ['a', 'line 1'],
    ['b', 'line 7'],
  ])
})

test('how many of a name and its tables are listed is known, however many reasons there are', () => {
  const counts = new RejectCounts()
  for (let nth = 0; nth < 500; nth++) counts.add(rejected({ superseded: nth % 2 }), at('line 1', 'x'.repeat(nth)))
  counts.takeBack(rejected({ superseded: 1 }), at('line 1', 'x'))
  counts.stopped(rejected({ table: { name: 'other', keepLast: true } }), at('line 2'), new Error('one'))
  expect(counts.recordsOf('orders', (table) => table === 'orders')).toBe(748)
  expect(counts.recordsOf('orders', () => true)).toBe(749)
  expect(counts.recordsOf('users', () => true)).toBe(0)
})

test('a record that was counted with the rest is taken back from there, though there is room for its reason now', () => {
  const counts = new RejectCounts()
  const all = Array.from({ length: 102 }, (_, index) => at(`line ${index}`, `reason ${'x'.repeat(index)}`))
  for (const one of all) counts.add(rejected(), one)
  for (const index of [0, 1, 101]) counts.takeBack(rejected(), all[index]!)
  expect(counts.all.reduce((sum, { records }) => sum + records, 0)).toBe(99)
  expect(counts.all.filter(({ records, times }) => records < 1 || times < 1)).toEqual([])
})
