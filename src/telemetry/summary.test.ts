import { expect, test } from 'vitest'
import { Tally } from '../core/tally.ts'
import { summarise } from './summary.ts'

const track = { name: 'orders', namespace: 'shop' }
const table = { name: 'shop_orders', keepLast: true }

function told(rejected: number, place?: string): string[] {
  const tally = new Tally()
  const state = { track, outstanding: 0, received: 1234, written: 1234 - rejected, rejected, phase: 'open' as const }
  tally.tracks = [{ ...state, settled: undefined }]
  return summarise([{ track, table }], tally, 2, place)
}

test('what was dropped when a record ended the run is not delivered', () => {
  const tally = new Tally()
  const state = { track, outstanding: 0, received: 1250, written: 7, rejected: 3, phase: 'abandoned' as const }
  tally.tracks = [{ ...state, settled: undefined }]
  expect(summarise([{ track, table }], tally, 2)[0]).toMatch(/, 1,240 not delivered$/)
})

test('where rejected records are is told at the end, if there are any', () => {
  expect(told(1000, 'the table "x"')).toEqual([
    'shop.orders: 1,234 records, 0 rows sent, 1,000 rejected, 0 retries, 0 B',
    'Total: 1,234 records, 0 rows sent, 1,000 rejected, 0 retries, 0 B, 2.0 s, 617 records/s',
    'Rejected: 1,000 (older versions of their rows included), kept in the table "x"',
  ])
  expect(told(0, 'the table "x"')).toHaveLength(2)
  expect(told(3)).toHaveLength(2)
})

test('one of each is told in the singular', () => {
  const tally = new Tally()
  const state = { track, outstanding: 0, received: 1, written: 1, rejected: 0, phase: 'open' as const }
  tally.tracks = [{ ...state, settled: undefined }]
  Object.assign(tally.ofTable(table), { rows: 1, bytes: 9 })
  tally.ofTable(table).retries.network = 1
  expect(summarise([{ track, table }], tally, 1)).toEqual([
    'shop.orders: 1 record, 1 row sent, 0 rejected, 1 retry, 9 B',
    'Total: 1 record, 1 row sent, 0 rejected, 1 retry, 9 B, 1.0 s, 1 record/s',
  ])
})
