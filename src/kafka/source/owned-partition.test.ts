import { array, assert, constantFrom, nat, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadBatch } from './types.ts'
import { FetchedAhead } from './fetched-ahead.ts'
import { OwnedPartition } from './owned-partition.ts'
import { rows } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'
import { TOPIC } from './testing/topics.ts'

function owned(offset = 0n) {
  const counts = { written: 0, rejected: 0 }
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
    expect(counts).toEqual({ written: 8, rejected: 2 })
    partition.committedTo = 7n
    expect(partition.isDue).toBe(false)
  })

  it('counts for each table what became of its records, and never less than before', () => {
    const { partition } = owned()
    const [orders, users] = [
      { written: 0, rejected: 0 },
      { written: 0, rejected: 0 },
    ]
    for (const table of [orders, users, undefined, orders, orders]) partition.noteTable(table)
    // with one that it replaced
    partition.rejected(orders, 2)
    partition.settle(4n, 2, 1, 4)
    expect([orders, users]).toEqual([
      { written: 0, rejected: 2 },
      { written: 1, rejected: 0 },
    ])
    partition.settle(5n, 1, 0, 5)
    partition.settle(9n, 0, 0, 5)
    expect([orders, users]).toEqual([
      { written: 1, rejected: 2 },
      { written: 1, rejected: 0 },
    ])
  })

  it('goes back where reading went on elsewhere, once all before that is settled, and commits nothing until then', () => {
    const { partition } = owned()
    partition.fetched(batchOf(3, rows(0, 10)), 100)
    partition.fetched({ ...batchOf(3, [], 2n), isMove: true }, 200)
    partition.fetched(batchOf(3, rows(2, 6)), 300)
    partition.settle(8n, 8, 0, 8)
    partition.committed(8n, 250)
    partition.settle(10n, 2, 0, 10)
    expect([partition.settledTo, partition.isDue, partition.oldestAt, partition.fetchedTo]).toEqual([
      10n,
      false,
      200,
      6n,
    ])
    partition.settle(2n, 0, 0, 10)
    partition.moved(2n)
    expect([partition.settledTo, partition.isDue, partition.oldestAt]).toEqual([2n, false, 300])
    // a commit that was under way
    partition.committed(10n, 400)
    partition.settle(4n, 2, 0, 12)
    expect([partition.settledTo, partition.committedTo, partition.isDue]).toEqual([4n, 2n, true])
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

const MIB = 2 ** 20

function partitions(count: number, needsSchemas = true): OwnedPartition[] {
  return Array.from({ length: count }, (_, at) => {
    return new OwnedPartition(position(at, 0n), { written: 0, rejected: 0 }, needsSchemas)
  })
}

function fetch(partition: OwnedPartition, mebibytes: number, schemas?: ReadBatch['schemas']): void {
  const { partition: number } = partition.track
  partition.fetched({ ...batchOf(number, []), bytes: mebibytes * MIB, schemas }, 0)
}

function take(partition: OwnedPartition): void {
  partition.taken = 1
  partition.dropTaken()
}

describe('what is fetched ahead', () => {
  it('is enough for all when it is much, until it is less again', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    for (let step = 0; step < 5; step++) fetch(one, 3)
    expect([ahead.count(one), ahead.whyEnough(one), ahead.whyEnough(other)]).toEqual([false, undefined, undefined])
    fetch(one, 1)
    expect([ahead.count(one), ahead.whyEnough(one), ahead.whyEnough(other)]).toEqual([true, 'budget', 'budget'])
    take(one)
    expect([ahead.count(one), ahead.whyEnough(other)]).toEqual([false, 'budget'])
    take(one)
    expect([ahead.count(one), ahead.whyEnough(one), ahead.whyEnough(other)]).toEqual([true, undefined, undefined])
  })

  it('is enough for one with its number of batches, and sooner where nothing of it is wanted', () => {
    const ahead = new FetchedAhead()
    const [one] = partitions(1) as [OwnedPartition]
    for (let step = 0; step < 15; step++) fetch(one, 0)
    ahead.count(one)
    expect(ahead.whyEnough(one)).toBeUndefined()
    one.isHeld = true
    expect(ahead.whyEnough(one)).toBe('fetched_ahead')
    one.isHeld = false
    fetch(one, 0)
    expect(ahead.whyEnough(one)).toBe('fetched_ahead')
  })

  it('goes when its partition is taken away', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    fetch(one, 20)
    ahead.count(one)
    one.close()
    expect([ahead.count(one), ahead.whyEnough(other)]).toEqual([true, undefined])
  })
})

describe('what waits for schemas', () => {
  it('is enough for its own partition, and for no other', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    fetch(one, 20, 'awaited')
    fetch(one, 10, new Map())
    expect([ahead.count(one), ahead.whyEnough(one), ahead.whyEnough(other)]).toEqual([false, 'schemas', undefined])
    one.batches[0]!.schemas = new Map()
    expect([ahead.count(one), ahead.whyEnough(one), ahead.whyEnough(other)]).toEqual([true, 'budget', 'budget'])
  })

  it('is enough for those that may need them too, when it is much', () => {
    const ahead = new FetchedAhead()
    const [one, two, other] = partitions(3) as [OwnedPartition, OwnedPartition, OwnedPartition]
    const [plain] = partitions(1, false) as [OwnedPartition]
    fetch(one, 16, 'awaited')
    fetch(two, 16, 'awaited')
    expect([ahead.count(one), ahead.whyEnough(other)]).toEqual([false, undefined])
    expect([ahead.count(two), ahead.whyEnough(other), ahead.whyEnough(plain)]).toEqual([true, 'schemas', undefined])
    take(two)
    expect([ahead.count(two), ahead.whyEnough(other)]).toEqual([true, undefined])
  })
})

const NONE = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }

function opened() {
  const state = { isDown: false, isBufferFull: false }
  const budget = { add: () => {}, isFull: false }
  const ahead = new FetchedAhead({
    budget,
    isDown: () => state.isDown,
    isBufferFull: () => state.isBufferFull,
  })
  return { state, budget, ahead, owned: new OwnedPartition(position(0, 0n), { written: 0, rejected: 0 }) }
}

describe('a pause', () => {
  it('has the reason that is behind it, at the moment', () => {
    const { state, budget, ahead, owned } = opened()
    expect(ahead.reasonOf(owned)).toBeUndefined()
    budget.isFull = true
    expect(ahead.reasonOf(owned)).toBe('budget')
    budget.isFull = false
    owned.isHeld = true
    expect(ahead.reasonOf(owned)).toBe('fetched_ahead')
    state.isBufferFull = true
    expect(ahead.reasonOf(owned)).toBe('buffer')
    state.isDown = true
    expect(ahead.reasonOf(owned)).toBe('outage')
    owned.isHeld = false
    expect(ahead.reasonOf(owned)).toBeUndefined()
    owned.pauseReason = 'schemas'
    expect(ahead.reasonOf(owned)).toBe('schemas')
    owned.pauseReason = 'budget'
    expect(ahead.reasonOf(owned)).toBe('outage')
    Object.assign(state, { isDown: false, isBufferFull: false })
    expect(ahead.reasonOf(owned)).toBe('budget')
    owned.close()
    expect(ahead.reasonOf(owned)).toBe('rebalance')
  })

  it('is counted once, by topic, when it begins', () => {
    const { ahead, state } = opened()
    const { source } = sourceOf({}, false, undefined, undefined, ahead)
    source.assigned([position(0, 0n), position(1, 0n)])
    let offset = 0
    const fetch = (count: number): void => {
      for (let batch = 0; batch < count; batch++) source.batch(batchOf(0, rows(offset, ++offset)))
    }
    fetch(15)
    expect(ahead.pausesOf(TOPIC)).toEqual(NONE)
    fetch(4)
    expect(ahead.pausesOf(TOPIC)).toEqual({ ...NONE, fetched_ahead: 1 })
    state.isDown = true
    source.lost()
    expect(ahead.pausesOf(TOPIC)).toEqual({ ...NONE, fetched_ahead: 1, rebalance: 2 })
    expect(ahead.pausesOf('another')).toEqual(NONE)
  })
})
