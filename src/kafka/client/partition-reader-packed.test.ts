// Batches that wait packed: whose turn it is, what is let go, and when more is fetched.

import type { Batch } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import type { ConnectorError } from '../../core/errors.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import type { PackedBatch } from '../log/packed-batch.ts'
import { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import { TestClock } from './testing/clock.ts'
import { messagesOf, packedBatch, ZSTD } from './testing/fetched.ts'
import type { ConsumerEvents, FetchedBatch } from '../types.ts'

const MIB = 1024 * 1024

function make(partitions: number) {
  const told: [partition: number, first: bigint | undefined, next: bigint][] = []
  const failed: string[] = []
  const thrown: unknown[] = []
  const controlled: string[] = []
  const fetching = new Set<number>()
  const on: { batch: (batch: FetchedBatch) => void } = { batch: () => undefined }
  const events: ConsumerEvents = {
    assigned: () => undefined,
    revoked: async () => undefined,
    lost: () => undefined,
    batch: (batch) => {
      told.push([batch.partition, batch.records[0]?.offset, batch.next])
      on.batch(batch)
    },
    failed: () => undefined,
    said: () => undefined,
  }
  const budget = new FetchBudget()
  const membership = new Membership(events, new TestClock(), 6000)
  const reader = new PartitionReader({
    controls: {
      pause: (some) => some.forEach(({ partitions }) => partitions?.forEach((one) => fetching.delete(one))),
      resume: (some) => some.forEach(({ partitions }) => partitions?.forEach((one) => fetching.add(one))),
      seek: ({ partition, offset }) => void controlled.push(`seek ${partition} ${offset}`),
    },
    membership,
    events,
    budget,
    isHalted: () => false,
    fail: (error: ConnectorError) => void failed.push(error.message),
    end: (error) => void thrown.push(error),
  })
  membership.joined('1')
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic: 't', partition }))
  membership.assign(all.map(({ topic, partition }) => ({ topic, partition, offset: 0n, high: 0n })))
  reader.start(membership.owned)
  controlled.length = 0
  const fetch = (partition: number, ...batches: readonly PackedBatch[]): void => {
    const { messages, kept } = messagesOf(budget, batches)
    const last = messages.at(-1)!.offset
    const fetchedOffset = `${membership.find('t', partition)!.next}`
    const rest = { isEmpty: () => false, firstOffset: () => last, offsetLag: () => '0', offsetLagLow: () => '0' }
    const batch: Batch = { topic: 't', partition, highWatermark: '100', messages, lastOffset: () => last, ...rest }
    reader.batch(Object.assign(batch, { fetchedOffset }), () => undefined)
    kept[Symbol.dispose]()
  }
  return { told, failed, thrown, controlled, fetching, on, budget, membership, reader, fetch }
}

const at = (partition: number): { topic: string; partition: number } => ({ topic: 't', partition })
const large = (first: bigint): PackedBatch => packedBatch(first, 30_000, 700, { codec: ZSTD })

describe('PartitionReader', () => {
  it('tells what is in the way of nothing at once', () => {
    const { told, fetch } = make(2)
    fetch(1, packedBatch(0n, 5, 10), packedBatch(5n, 5, 10))
    expect(told).toEqual([[1, 0n, 10n]])
  })

  it('tells of each partition in turn, and each in its order', async () => {
    const { told, fetch } = make(3)
    fetch(0, large(0n), large(30_000n))
    fetch(1, large(0n))
    fetch(2, packedBatch(0n, 5, 10))
    await expect.poll(() => told.filter(([, , next]) => next === 60_000n).length, { timeout: 20_000 }).toBe(1)
    // the first of each before the second of any
    expect(new Set(told.slice(0, 3).map(([partition]) => partition))).toEqual(new Set([0, 1, 2]))
    for (const partition of [0, 1]) {
      const own = told.filter(([of]) => of === partition)
      for (const [index, [, first]] of own.entries())
        if (first !== undefined) expect(first).toBe(own[index - 1]?.[2] ?? 0n)
    }
    expect(told.findLast(([partition]) => partition === 1)?.[2]).toBe(30_000n)
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

  it('goes back to where it was told when a batch cannot be read', async () => {
    const { told, failed, fetch, controlled, budget } = make(1)
    fetch(0, packedBatch(0n, 5, 10), packedBatch(5n, 5, 10, { count: 6 }), packedBatch(10n, 5, 10))
    expect(told).toEqual([[0, 0n, 5n]])
    expect(failed).toEqual([expect.stringContaining('the batch of the offsets 5 to 9 is damaged')])
    expect([controlled, budget.held]).toEqual([['seek 0 5'], 0])
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
    const { fetching, fetch, on, reader, controlled, budget, told } = make(2)
    on.batch = ({ partition }) => reader.pause(at(partition))
    fetch(0, ...Array.from({ length: 60 }, (_, part) => packedBatch(BigInt(part * 10), 10, 100_000)))
    expect([budget.isFull, budget.held]).toEqual([false, 0])
    expect([controlled, told.length]).toEqual([['seek 0 30'], 1])
    expect(fetching).toEqual(new Set([1]))
  })

  it('says what was thrown while something was told', async () => {
    const { thrown, fetch, on } = make(1)
    on.batch = () => {
      throw new Error('why')
    }
    fetch(0, packedBatch(0n, 5, 10))
    await expect.poll(() => thrown).toEqual([new Error('why')])
  })

  it('knows when all that was fetched is told', async () => {
    const { told, fetch, reader, membership } = make(1)
    const owned = membership.find('t', 0)!
    await reader.drained(owned)
    fetch(0, large(0n))
    await reader.drained(owned)
    expect(told.at(-1)?.[2]).toBe(30_000n)
  })
})
