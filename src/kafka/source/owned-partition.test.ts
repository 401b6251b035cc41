import { array, assert, constantFrom, nat, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadBatch } from './batch-items.ts'
import { OwnedPartition } from './owned-partition.ts'
import { rows } from './testing/delivery.ts'
import { batchOf, position } from './testing/partitions.ts'
import { TOPIC } from './testing/topics.ts'

function owned(offset = 0n) {
  const counts = { records: 0, written: 0, rejected: 0 }
  return { partition: new OwnedPartition(position(3, offset), counts), counts }
}

describe('how far a partition is', () => {
  it('is where it was assigned, with nothing to commit', () => {
    const { partition } = owned(40n)
    const { track, fetchedTo, settledTo, committedTo, isDue, oldestAt } = partition
    expect(track).toEqual({ name: TOPIC, topic: TOPIC, partition: 3 })
    expect([fetchedTo, settledTo, committedTo, isDue, oldestAt]).toEqual([40n, 40n, 40n, false, undefined])
  })

  it('is told of the oldest batch that is not settled whole, markers behind its records included', () => {
    const { partition } = owned()
    partition.fetched(batchOf(3, rows(0, 5), 8n), 100)
    partition.fetched(batchOf(3, rows(8, 9)), 200)
    partition.settle(5n, 5, 0, 5)
    expect([partition.fetchedTo, partition.settledTo, partition.oldestAt]).toEqual([9n, 5n, 100])
    partition.settle(8n, 0, 0, 5)
    expect([partition.fetchedTo, partition.settledTo, partition.oldestAt]).toEqual([9n, 8n, 200])
    partition.settle(9n, 1, 0, 6)
    expect([partition.fetchedTo, partition.settledTo, partition.oldestAt]).toEqual([9n, 9n, undefined])
  })

  it('never goes back, and what became of records counts in any case', () => {
    const { partition, counts } = owned()
    partition.fetched(batchOf(3, rows(0, 10)), 0)
    partition.settle(7n, 6, 1, 7)
    partition.settle(4n, 2, 1, 4)
    expect([partition.settledTo, partition.isDue]).toEqual([7n, true])
    expect(counts).toEqual({ records: 0, written: 8, rejected: 2 })
    partition.committedTo = 7n
    expect(partition.isDue).toBe(false)
  })

  it('is the same as a list of all batches tells, at any time', () => {
    const anyStep = tuple(constantFrom('fetch', 'settle'), nat(5))
    assert(
      property(array(anyStep, { maxLength: 60 }), (steps) => {
        const { partition } = owned()
        const batches: { next: bigint; at: number }[] = []
        let settled = 0n
        for (const [at, [step, by]] of steps.entries()) {
          const fetched = batches.at(-1)?.next ?? 0n
          if (step === 'fetch') {
            const next = fetched + 1n + BigInt(by)
            batches.push({ next, at })
            partition.fetched(batchOf(3, [], next), at)
          } else {
            settled = settled + BigInt(by) < fetched ? settled + BigInt(by) : fetched
            partition.settle(settled, 0, 0, 0)
          }
          expect(partition.fetchedTo).toBe(batches.at(-1)?.next ?? 0n)
          expect(partition.settledTo).toBe(settled)
          expect(partition.oldestAt).toBe(batches.find(({ next }) => next > settled)?.at)
        }
      }),
    )
  })
})

describe('what is fetched and not taken', () => {
  it('waits for schemas when its first batch does, whatever those behind it do', () => {
    const { partition } = owned()
    const [first, second] = [batchOf(3, rows(0, 2)) as ReadBatch, batchOf(3, rows(2, 7)) as ReadBatch]
    expect(partition.isAwaiting).toBe(false)
    partition.fetched(first, 0)
    partition.fetched(second, 0)
    second.schemas = 'awaited'
    expect(partition.isAwaiting).toBe(false)
    first.schemas = 'awaited'
    second.schemas = new Map()
    expect(partition.isAwaiting).toBe(true)
    first.schemas = new Map()
    expect(partition.isAwaiting).toBe(false)
  })

  it('is dropped when all of it was taken, and only then', () => {
    const { partition } = owned()
    const first = batchOf(3, rows(0, 2))
    const second = batchOf(3, [], 9n)
    partition.fetched(first, 0)
    partition.fetched(second, 0)
    for (const taken of [0, 1, 2]) {
      partition.taken = taken
      partition.dropTaken()
      expect([partition.batches, partition.taken]).toEqual([[first, second], taken])
      expect(partition.bytes).toBe(first.bytes)
    }
    partition.taken = 3
    partition.dropTaken()
    expect([partition.batches, partition.taken, partition.bytes]).toEqual([[second], 0, 0])
    partition.taken = 1
    partition.dropTaken()
    expect([partition.batches, partition.taken]).toEqual([[], 0])
    partition.dropTaken()
    expect([partition.batches, partition.taken]).toEqual([[], 0])
  })

  it('goes when the partition is taken away', () => {
    const { partition } = owned()
    const [first, second] = [batchOf(3, rows(0, 2)), batchOf(3, rows(2, 7))]
    partition.fetched(first, 0)
    partition.fetched(second, 0)
    partition.taken = 1
    expect(partition.bytes).toBe(first.bytes + second.bytes)
    partition.close()
    expect([partition.isClosed, partition.batches, partition.bytes]).toEqual([true, [], 0])
    // what is under way may still be settled, and committed
    partition.settle(1n, 1, 0, 1)
    expect([partition.settledTo, partition.isDue]).toEqual([1n, true])
  })
})
