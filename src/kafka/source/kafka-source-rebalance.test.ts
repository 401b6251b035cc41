// Partitions that are given away in good order: of what the service acknowledged nothing is left for the next owner to send
// again, whatever was still to be sent before it.

import * as fc from 'fast-check'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Outcome } from '../../core/types.ts'
import { delivered, delivering, logsOf, row, rows, until } from './testing/delivery.ts'
import type { PlannedRecord, Sent } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'

const again: Outcome = { status: 'retry', cause: 'server', ambiguous: false, congestion: false, reason: 'again' }
const never = new AbortController().signal

it('the late-write guard is not waited for: what lies before the key that waits is committed', async () => {
  const { source, consumer } = sourceOf()
  let isFirst = true
  const answer = (): Promise<Outcome> => {
    if (!isFirst) return delivered()
    isFirst = false
    return Promise.resolve({ ...again, ambiguous: true } as Outcome)
  }
  const { run, stop, sent } = delivering(source, answer, undefined, 0, 3_600_000)
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, rows(0, 100)))
  await until(() => sent.length >= 110)
  source.batch(batchOf(0, [row(0, 100, 1), ...rows(101, 150)]))
  await until(() => sent.length >= 159)
  await source.revoked(never)
  expect(consumer.committed).toEqual(new Map([[0, 100n]]))
  expect(sent.some(({ v }) => v === 1)).toBe(false)
  stop.abort()
  await run
})

it('a service that is down is not waited for', async () => {
  const { source, consumer } = sourceOf()
  let isDown = false
  const { run, stop, sent } = delivering(source, () => (isDown ? Promise.resolve(again) : delivered()))
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, rows(0, 20)))
  await until(() => sent.length === 20)
  isDown = true
  source.batch(batchOf(0, rows(20, 60)))
  await until(() => sent.length >= 40)
  await source.revoked(never)
  expect(consumer.committed).toEqual(new Map([[0, 20n]]))
  stop.abort()
  await run
})

it('nothing acknowledged is left, and no row goes back, whatever comes when', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.nat(40), partition: fc.nat(1) }), { minLength: 50, maxLength: 900 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 5, max: 250 }),
      async (records, waits, size) => await play(records, waits, size),
    ),
    { numRuns: 40 },
  )
})

/** Given away and assigned again after so many milliseconds each. Keys are of one partition each. */
async function play(records: readonly PlannedRecord[], waits: readonly number[], size: number): Promise<void> {
  const { source, consumer } = sourceOf()
  const logs = logsOf(records)
  const table = new Map<number, number>()
  const acknowledged = [-1, -1]
  let attempts = 0
  const { run, stop } = delivering(source, async (points: readonly Sent[]) => {
    await pause(attempts % 3)
    if (attempts++ % 7 === 6) return again
    for (const { id, v, at } of points) {
      expect(v).toBeGreaterThan(table.get(id) ?? -1)
      table.set(id, v)
      acknowledged[id % 2] = Math.max(acknowledged[id % 2]!, at)
    }
    return { status: 'delivered' }
  })
  const committed = (partition: number): bigint => consumer.committed.get(partition) ?? 0n
  for (const wait of waits) {
    source.assigned([0, 1].map((partition) => position(partition, committed(partition))))
    for (const partition of [0, 1]) {
      const from = Number(committed(partition))
      for (let at = from; at < logs[partition]!.length; at += size)
        source.batch(batchOf(partition, logs[partition]!.slice(at, at + size)))
    }
    await pause(wait)
    await source.revoked(never)
    for (const partition of [0, 1]) expect(Number(committed(partition))).toBeGreaterThan(acknowledged[partition]!)
  }
  stop.abort()
  await run
}
