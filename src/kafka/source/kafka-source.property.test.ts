// Partitions that are assigned, revoked and lost at random, against a model.

import { setTimeout as pause } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { delivering, logsOf, type PlannedRecord, type Sent } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'

it('comes to the right rows, commits all that was acknowledged of what is revoked, and never beyond what is settled', async () => {
  const key = fc.constantFrom(12, 40).chain((most) => fc.nat(most))
  const records = fc.array(fc.record({ key, partition: fc.nat(1) }), { minLength: 1, maxLength: 600 })
  const steps = fc
    .tuple(fc.boolean(), fc.array(fc.constantFrom('fetch', 'wait', 'fetch', 'go', 'commit'), { maxLength: 40 }))
    .map(([loses, all]) => all.map((step, at) => (step !== 'go' ? step : loses && at % 2 === 1 ? 'lose' : 'revoke')))
  await fc.assert(
    fc.asyncProperty(records, steps, fc.integer({ min: 1, max: 100 }), async (...drawn) => await play(...drawn)),
    { numRuns: 80 },
  )
})

async function play(records: readonly PlannedRecord[], steps: readonly string[], size: number): Promise<void> {
  const { source, consumer } = sourceOf()
  const logs = logsOf(records)
  const table = new Map<number, number>()
  /** Offset of the last record that was acknowledged, by partition. */
  const acknowledged = [-1, -1]
  let attempts = 0
  /** Attempts of lost partitions may still be acknowledged, and their records come again. */
  let wereLost = false
  const { run, stop } = delivering(source, async (points) => {
    await pause(points.length % 4)
    if (attempts++ % 5 === 4)
      return { status: 'retry', cause: 'server', ambiguous: false, congestion: false, reason: 'again' }
    for (const { id, v, at } of points) {
      table.set(id, v)
      acknowledged[id % 2] = Math.max(acknowledged[id % 2]!, at)
    }
    return { status: 'delivered' }
  })
  const begin = (): void => source.assigned([0, 1].map((at) => position(at, consumer.committed.get(at) ?? 0n)))
  const at = [0, 0]
  const assign = (): void => {
    begin()
    for (const partition of [0, 1]) at[partition] = Number(consumer.committed.get(partition) ?? 0n)
  }
  const fetch = (partition: number): void => {
    const some = logs[partition]!.slice(at[partition], at[partition]! + size)
    if (some.length === 0 || consumer.paused.has(partition)) return
    at[partition]! += some.length
    source.batch(batchOf(partition, some))
  }
  const check = (): void => {
    for (const [partition, offset] of consumer.committed)
      for (const record of logs[partition]!.slice(0, Number(offset))) {
        const { id, v } = JSON.parse(record.value!.toString()) as Sent
        expect(table.get(id) ?? -1).toBeGreaterThanOrEqual(v)
      }
  }
  assign()
  for (const step of [...steps, 'revoke']) {
    if (step === 'fetch') for (const partition of [0, 1]) fetch(partition)
    else if (step === 'commit') await source.commit()
    else if (step === 'wait') await pause(2 + (attempts % 12))
    else {
      if (step === 'lose') {
        wereLost = true
        source.lost()
      } else {
        await source.revoked(new AbortController().signal)
        for (const partition of wereLost ? [] : [0, 1])
          expect(Number(consumer.committed.get(partition) ?? 0n)).toBeGreaterThan(acknowledged[partition]!)
      }
      consumer.paused.clear()
      assign()
    }
    check()
  }
  while (logs.some((log, partition) => (consumer.committed.get(partition) ?? 0n) < BigInt(log.length))) {
    for (const partition of [0, 1]) fetch(partition)
    await pause(1)
    await source.commit()
    check()
  }
  stop.abort()
  await run
  const last = new Map(
    logs.flat().map((record) => {
      const { id, v } = JSON.parse(record.value!.toString()) as Sent
      return [id, v]
    }),
  )
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(last))
}
