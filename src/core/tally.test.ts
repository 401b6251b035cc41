import { expect, test } from 'vitest'
import { Tally } from './tally.ts'
import type { Outcome } from './types.ts'

test('rows and bytes of what was delivered, every attempt, retries by cause, a table each', () => {
  const tally = new Tally()
  const [orders, other] = [
    { name: 'orders', keepLast: true },
    { name: 'other', keepLast: true },
  ]
  const attempt = { table: orders, request: { points: 3, body: new Uint8Array(50) } }
  const retry = { status: 'retry', ambiguous: false, congestion: false, reason: '' } as const
  const outcomes: readonly Outcome[] = [
    { ...retry, cause: 'throttled' },
    { ...retry, cause: 'timeout' },
    { ...retry, cause: 'timeout' },
    { status: 'too-large' },
    { status: 'refused', reason: 'no' },
    { status: 'delivered' },
    { status: 'delivered' },
  ]
  for (const outcome of outcomes) tally.attempted(attempt, outcome)
  const retries = { throttled: 1, server: 0, network: 0, timeout: 2 }
  expect(tally.takeTables().map(([{ name }, { rows }]) => [name, rows])).toEqual([['orders', 6]])
  expect(tally.takeTables()).toEqual([])
  expect(tally.ofTable(orders)).toEqual({ requests: 2, rows: 6, bytes: 100, attempts: 7, retries })
  expect(tally.ofTable(other)).toMatchObject({ rows: 0, attempts: 0 })
})
