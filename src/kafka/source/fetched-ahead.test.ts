import { describe, expect, it } from 'vitest'
import { FetchedAhead } from './fetched-ahead.ts'
import type { ReadBatch } from './batch-items.ts'
import { OwnedPartition } from './owned-partition.ts'
import { batchOf, position } from './testing/partitions.ts'

const MIB = 2 ** 20

function partitions(count: number, needsSchemas = true): OwnedPartition[] {
  return Array.from({ length: count }, (_, at) => {
    return new OwnedPartition(position(at, 0n), { records: 0, written: 0, rejected: 0 }, needsSchemas)
  })
}

function fetch(partition: OwnedPartition, mebibytes: number, schemas?: ReadBatch['schemas']): void {
  const { partition: number } = partition.track
  partition.fetched({ ...batchOf(number, []), bytes: mebibytes * MIB, schemas }, 0)
}

const isEnough = (ahead: FetchedAhead, partition: OwnedPartition): boolean => ahead.enough(partition) !== undefined

function take(partition: OwnedPartition): void {
  partition.taken = 1
  partition.dropTaken()
}

describe('what is fetched ahead', () => {
  it('is enough for all when it is much, until it is less again', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    for (let step = 0; step < 5; step++) fetch(one, 3)
    expect([ahead.count(one), isEnough(ahead, one), isEnough(ahead, other)]).toEqual([false, false, false])
    fetch(one, 1)
    expect([ahead.count(one), isEnough(ahead, one), isEnough(ahead, other)]).toEqual([true, true, true])
    take(one)
    expect([ahead.count(one), isEnough(ahead, other)]).toEqual([false, true])
    take(one)
    expect([ahead.count(one), isEnough(ahead, one), isEnough(ahead, other)]).toEqual([true, false, false])
  })

  it('is enough for one with its number of batches, and sooner where nothing of it is wanted', () => {
    const ahead = new FetchedAhead()
    const [one] = partitions(1) as [OwnedPartition]
    for (let step = 0; step < 15; step++) fetch(one, 0)
    ahead.count(one)
    expect(isEnough(ahead, one)).toBe(false)
    one.isHeld = true
    expect(isEnough(ahead, one)).toBe(true)
    one.isHeld = false
    fetch(one, 0)
    expect(isEnough(ahead, one)).toBe(true)
  })

  it('is named for what it is', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    for (let step = 0; step < 16; step++) fetch(one, 0)
    ahead.count(one)
    expect([ahead.enough(one), ahead.enough(other)]).toEqual(['fetched_ahead', undefined])
    fetch(one, 16)
    ahead.count(one)
    expect([ahead.enough(one), ahead.enough(other)]).toEqual(['budget', 'budget'])
    fetch(other, 33, 'awaited')
    ahead.count(other)
    expect([ahead.enough(one), ahead.enough(other)]).toEqual(['budget', 'schemas'])
    one.close()
    ahead.count(one)
    expect(ahead.enough(partitions(1)[0]!)).toBe('schemas')
  })

  it('goes when its partition is taken away', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    fetch(one, 20)
    ahead.count(one)
    one.close()
    expect([ahead.count(one), isEnough(ahead, other)]).toEqual([true, false])
  })
})

describe('what waits for schemas', () => {
  it('is enough for its own partition, and for no other', () => {
    const ahead = new FetchedAhead()
    const [one, other] = partitions(2) as [OwnedPartition, OwnedPartition]
    fetch(one, 20, 'awaited')
    fetch(one, 10, new Map())
    expect([ahead.count(one), isEnough(ahead, one), isEnough(ahead, other)]).toEqual([false, true, false])
    one.batches[0]!.schemas = new Map()
    expect([ahead.count(one), isEnough(ahead, one), isEnough(ahead, other)]).toEqual([true, true, true])
  })

  it('is enough for those that may need them too, when it is much', () => {
    const ahead = new FetchedAhead()
    const [one, two, other] = partitions(3) as [OwnedPartition, OwnedPartition, OwnedPartition]
    const [plain] = partitions(1, false) as [OwnedPartition]
    fetch(one, 16, 'awaited')
    fetch(two, 16, 'awaited')
    expect([ahead.count(one), isEnough(ahead, other)]).toEqual([false, false])
    expect([ahead.count(two), isEnough(ahead, other), isEnough(ahead, plain)]).toEqual([true, true, false])
    take(two)
    expect([ahead.count(two), isEnough(ahead, other)]).toEqual([true, false])
  })
})
