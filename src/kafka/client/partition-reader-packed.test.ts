// Batches that wait packed: whose turn it is, what is let go, and when more is fetched.

import { describe, expect, it } from 'vitest'
import { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import { settle, TestClock } from './testing/clock.ts'
import { packedBatch, ZSTD } from './testing/fetched.ts'
import { memberEvents } from './testing/member.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { FetchedBatch } from '../types.ts'

const MIB = 1024 * 1024
const HELD_MS = 2000

function make(partitions: number) {
  const told: [partition: number, first: bigint | undefined, next: bigint][] = []
  const thrown: unknown[] = []
  const fetching = new Set<number>()
  const on: { batch: (batch: FetchedBatch) => void } = { batch: () => undefined }
  const events = memberEvents({
    batch: (batch) => {
      told.push([batch.partition, batch.records[0]?.offset, batch.next])
      on.batch(batch)
    },
  })
  const budget = new FetchBudget()
  const clock = new TestClock()
  const membership = new Membership(events, clock, { sessionTimeoutMs: 6000, rebalanceTimeoutMs: 60_000 })
  const reader = new PartitionReader({
    controls: {
      pause: (some) => some.forEach(({ partitions }) => partitions?.forEach((one) => fetching.delete(one))),
      resume: (some) => some.forEach(({ partitions }) => partitions?.forEach((one) => fetching.add(one))),
    },
    membership,
    events,
    clock,
    budget,
    isHalted: () => false,
    fail: (error) => void thrown.push(error),
    end: (error) => void thrown.push(error),
  })
  membership.joined('1')
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic: 't', partition }))
  membership.assign(all.map(({ topic, partition }) => ({ topic, partition, offset: 0n, high: 0n })))
  reader.start()
  const fetch = (partition: number, ...batches: readonly PackedBatch[]): void => {
    reader.fetched(membership.find('t', partition)!, batches, 100n)
  }
  return { told, thrown, fetching, on, budget, clock, membership, reader, fetch }
}

const at = (partition: number): { topic: string; partition: number } => ({ topic: 't', partition })
const large = (first: bigint): PackedBatch => packedBatch(first, 30_000, 700, { codec: ZSTD })

type Made = ReturnType<typeof make>

/** Partitions of which a part of a large batch was told, but not its end: most at once. Small batches end at 5. */
function mostBegun({ told }: Made): number {
  const begun = new Set<number>()
  let most = 0
  for (const [partition, , next] of told) {
    if (next % 30_000n === 0n) begun.delete(partition)
    else if (next > 5n) begun.add(partition)
    most = Math.max(most, begun.size)
  }
  return most
}

/** All is told up to there, without a gap, and nothing twice. */
function expectWhole({ told }: Made, partition: number, end: bigint): void {
  const own = told.filter(([of]) => of === partition)
  for (const [index, [, first]] of own.entries()) if (first !== undefined) expect(first).toBe(own[index - 1]?.[2] ?? 0n)
  expect(own.at(-1)?.[2]).toBe(end)
}

const endOf = ({ told }: Made, partition: number): bigint | undefined => told.findLast(([of]) => of === partition)?.[2]

describe('PartitionReader', () => {
  it('tells of each partition in turn', async () => {
    const { told, fetch } = make(3)
    fetch(0, large(0n))
    fetch(1, large(0n))
    fetch(2, packedBatch(0n, 5, 10))
    await expect.poll(() => told.length, { timeout: 20_000 }).toBeGreaterThan(3)
    expect(told.slice(0, 4).map(([partition]) => partition)).toEqual([0, 1, 2, 0])
  })

  it('unpacks nothing of a partition that is paused, and goes on with it where it was', async () => {
    const { told, fetch, reader, on, budget } = make(1)
    on.batch = () => reader.pause(at(0))
    fetch(0, large(0n))
    await expect.poll(() => told.length, { timeout: 20_000 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([told.length, budget.held > 0]).toEqual([1, true])
    on.batch = () => undefined
    reader.resume(at(0))
    await expect.poll(() => told.at(-1)?.[2], { timeout: 20_000 }).toBe(30_000n)
    expect(told[1]![1]).toBe(told[0]![2])
    expect(budget.held).toBe(0)
  })

  it('holds nothing of what is let go, and tells nothing of it', async () => {
    const { told, fetch, reader, budget, membership } = make(2)
    reader.pause(at(0))
    reader.resume(at(0))
    fetch(0, large(0n))
    fetch(1, large(0n))
    expect(budget.held).toBeGreaterThan(0)
    reader.letGo(membership.owned)
    await membership.revoke(new AbortController().signal)
    expect(budget.held).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told).toEqual([])
  })

  it('fetches nothing of what is let go, however much room that makes', () => {
    const { fetching, fetch, on, reader, budget, membership } = make(2)
    on.batch = () => {
      on.batch = () => undefined
      fetch(1, ...Array.from({ length: 60 }, (_, part) => packedBatch(BigInt(part * 10), 10, 100_000)))
      expect([budget.isFull, fetching]).toEqual([true, new Set()])
      reader.letGo(membership.owned)
    }
    fetch(0, packedBatch(0n, 5, 50))
    expect([budget.held, fetching]).toEqual([0, new Set()])
  })

  it('fetches nothing while there is no room, and then all that may be', () => {
    const { fetching, budget, reader } = make(3)
    reader.pause(at(2))
    expect(fetching).toEqual(new Set([0, 1]))
    budget.add(60 * MIB)
    expect(fetching).toEqual(new Set())
    reader.resume(at(2))
    reader.pause(at(1))
    expect(fetching).toEqual(new Set())
    budget.add(-60 * MIB)
    expect(fetching).toEqual(new Set([0, 2]))
  })

  it('fetches nothing of a partition of which much waits', async () => {
    const { fetching, fetch, on, reader, told } = make(2)
    on.batch = () => reader.pause(at(0))
    fetch(0, ...Array.from({ length: 8 }, (_, part) => packedBatch(BigInt(part * 10), 10, 100_000)))
    reader.resume(at(0))
    expect(fetching).toEqual(new Set([1]))
    on.batch = () => undefined
    await expect.poll(() => told.at(-1)?.[2]).toBe(80n)
    expect(fetching).toEqual(new Set([0, 1]))
  })

  it('lets go of what waits of a paused partition where others had no room', () => {
    const { fetching, fetch, on, reader, membership, budget, told } = make(2)
    on.batch = ({ partition }) => reader.pause(at(partition))
    fetch(0, ...Array.from({ length: 60 }, (_, part) => packedBatch(BigInt(part * 10), 10, 100_000)))
    expect([budget.isFull, budget.held]).toEqual([false, 0])
    expect([membership.find('t', 0)!.next, told.length]).toEqual([30n, 1])
    expect(fetching).toEqual(new Set([1]))
  })

  it('has two large batches open at most, and the others wait their turn', async () => {
    const made = make(7)
    for (let partition = 0; partition < 6; partition++) made.fetch(partition, large(0n), large(30_000n))
    made.fetch(6, packedBatch(0n, 5, 10))
    await made.reader.drained(made.membership.find('t', 6)!)
    // what is small waits for none of them
    expect(made.told.length).toBeLessThan(8)
    for (const owned of made.membership.owned) await made.reader.drained(owned)
    expect(mostBegun(made)).toBe(2)
    for (let partition = 0; partition < 6; partition++) expectWhole(made, partition, 60_000n)
    const ends = made.told.filter(([, , next]) => next === 30_000n || next === 60_000n)
    // the first of each before the second of any
    expect(new Set(ends.slice(0, 6).map(([partition]) => partition)).size).toBe(6)
    expect([made.budget.held, made.thrown]).toEqual([0, []])
  }, 60_000)

  it('lets others open theirs when those that are open are held for long, which go on later where they were', async () => {
    const made = make(5)
    const { on, reader, clock, told } = made
    on.batch = ({ partition }) => {
      if (partition < 2) reader.pause(at(partition))
    }
    for (let partition = 0; partition < 4; partition++) made.fetch(partition, large(0n))
    await expect.poll(() => told.length, { timeout: 20_000 }).toBe(2)
    made.fetch(4, packedBatch(0n, 5, 10))
    await expect.poll(() => endOf(made, 4), { timeout: 20_000 }).toBe(5n)
    await settle()
    expect([endOf(made, 2), endOf(made, 3)]).toEqual([undefined, undefined])
    await clock.pass(HELD_MS)
    await expect.poll(() => [endOf(made, 2), endOf(made, 3)], { timeout: 20_000 }).toEqual([30_000n, 30_000n])
    on.batch = () => undefined
    reader.resume(at(0))
    reader.resume(at(1))
    for (const owned of made.membership.owned) await reader.drained(owned)
    for (let partition = 0; partition < 4; partition++) expectWhole(made, partition, 30_000n)
    expect([made.budget.held, made.thrown]).toEqual([0, []])
  }, 60_000)

  it('closes none that went on meanwhile, or is not held', async () => {
    const made = make(3)
    const { on, reader, clock, told } = made
    on.batch = ({ partition }) => reader.pause(at(partition))
    for (let partition = 0; partition < 3; partition++) made.fetch(partition, large(0n))
    await expect.poll(() => told.length, { timeout: 20_000 }).toBe(2)
    for (const [partition, count] of [
      [0, 3],
      [1, 4],
    ] as const) {
      reader.resume(at(partition))
      await expect.poll(() => told.length, { timeout: 20_000 }).toBe(count)
    }
    await clock.pass(HELD_MS)
    await settle()
    expect(endOf(made, 2)).toBeUndefined()
    reader[Symbol.dispose]()
  }, 60_000)

  it('has room for others when what is open is let go', async () => {
    const made = make(4)
    const { on, reader, membership, told } = made
    on.batch = ({ partition }) => reader.pause(at(partition))
    for (let partition = 0; partition < 4; partition++) made.fetch(partition, large(0n))
    await expect.poll(() => told.length, { timeout: 20_000 }).toBe(2)
    reader.letGo(membership.owned)
    await membership.revoke(new AbortController().signal)
    on.batch = () => undefined
    told.length = 0
    membership.joined('2')
    membership.assign([2, 3].map((partition) => ({ topic: 't', partition, offset: 0n, high: 0n })))
    reader.start()
    for (const partition of [2, 3]) made.fetch(partition, large(0n))
    for (const owned of membership.owned) await reader.drained(owned)
    for (const partition of [2, 3]) expectWhole(made, partition, 30_000n)
  }, 60_000)

  it('says what was thrown while something was told', async () => {
    const { thrown, fetch, on } = make(1)
    on.batch = () => {
      throw new Error('why')
    }
    fetch(0, packedBatch(0n, 5, 10))
    await expect.poll(() => thrown).toEqual([new Error('why')])
  })
})
