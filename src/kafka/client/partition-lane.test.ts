// What of one partition is told, in which pieces.

import { describe, expect, it } from 'vitest'
import { PartitionLane, type Portion } from './partition-lane.ts'
import { packedBatch, ZSTD } from './testing/fetched.ts'
import { assignedPartition } from './testing/member.ts'
import { FetchBudget, LARGE } from '../log/fetch-budget.ts'
import type { PackedBatch } from '../log/record-batch.ts'

function lane(next: bigint, ...batches: readonly PackedBatch[]): { lane: PartitionLane; budget: FetchBudget } {
  const budget = new FetchBudget()
  const made = new PartitionLane(assignedPartition({ next }), budget, () => true)
  made.push(batches)
  return { lane: made, budget }
}

/** All of it. @returns first and last offset of each piece, and where to go on */
async function all(from: PartitionLane): Promise<string[]> {
  const found: string[] = []
  while (!from.isEmpty) {
    const told = await from.take()
    found.push(wordsOf(told))
    from.handedOn(told)
    if (told.unreadable) return [...found, told.unreadable.error.reason]
  }
  return found
}

function wordsOf({ records, next }: Portion): string {
  return `${records[0]?.offset}-${records.at(-1)?.offset}, ${next}`
}

describe('PartitionLane', () => {
  it('tells small batches together, and counts what it holds until they are unpacked', async () => {
    const nothing = packedBatch(20n, 1, 0, { readAs: 'nothing', packed: Buffer.alloc(0) })
    const { lane: one, budget } = lane(3n, packedBatch(0n, 10, 50), packedBatch(10n, 10, 50, { codec: ZSTD }), nothing)
    expect(budget.held).toBe(one.bytes)
    expect(one.bytes).toBeGreaterThan(500)
    expect(await all(one)).toEqual(['3-19, 21'])
    expect([one.bytes, budget.held]).toEqual([0, 0])
  })

  it('tells about 2 MiB at once', async () => {
    const batches = Array.from({ length: 5 }, (_, at) => packedBatch(BigInt(at * 10), 10, 60_000))
    expect(await all(lane(0n, ...batches).lane)).toEqual(['0-39, 40', '40-49, 50'])
  })

  it('tells what comes before a large batch, then that in parts, from where it left off', async () => {
    const large = packedBatch(10n, 30_000, 700, { codec: ZSTD })
    const { lane: one, budget } = lane(5n, packedBatch(0n, 10, 50), large, packedBatch(40_000n, 5, 50))
    const found = await all(one)
    expect([found[0], found.at(-1)]).toEqual(['5-9, 10', '40000-40004, 40005'])
    expect(found.length).toBeGreaterThan(5)
    expect(budget.held).toBe(0)
    expect((await all(lane(29_000n, large).lane))[0]).toMatch(/^29000-/)
    expect(await all(lane(30_010n, large).lane)).toEqual(['undefined-undefined, 30010'])
  })

  it('counts nothing of a large batch whose memory it freed', async () => {
    const large = packedBatch(0n, 17, 1024 * 1024, { ownsMemory: true })
    const { lane: one, budget } = lane(0n, large)
    expect((await all(one)).at(-1)).toMatch(/, 17$/)
    expect([one.bytes, budget.held, budget.admits(LARGE + 1), large.packed.length]).toEqual([0, 0, true, 0])
  })

  it('goes on where it was in a large batch that was closed, and repeats nothing', async () => {
    const { lane: one } = lane(0n, packedBatch(0n, 30_000, 700, { codec: ZSTD }))
    const first = await one.take()
    one.handedOn(first)
    expect(first.records[0]?.offset).toBe(0n)
    one.close()
    const second = await one.take()
    expect(second.records[0]?.offset).toBe(first.next)
    one.handedOn(second)
    one[Symbol.dispose]()
  })

  it.each([
    ['a small', packedBatch(10n, 10, 50, { count: 11 })],
    ['a large', packedBatch(10n, 30_000, 700, { count: 30_001 })],
  ])('tells what comes before %s batch that is damaged, and ends there', async (_, bad) => {
    const found = await all(lane(0n, packedBatch(0n, 10, 50), bad, packedBatch(40_000n, 5, 50)).lane)
    expect(found.join(' ')).toMatch(/^0-9, 10( undefined-undefined, 10)? damaged$/)
  })

  it('gives nothing any more once it is disposed, and holds nothing', async () => {
    const { lane: one, budget } = lane(0n, packedBatch(0n, 30_000, 700, { codec: ZSTD }), packedBatch(40_000n, 5, 50))
    one.handedOn(await one.take())
    const drained = one.drained()
    const taking = one.take()
    one[Symbol.dispose]()
    expect((await taking).records).toEqual([])
    await drained
    expect([one.isEmpty, one.bytes, budget.held]).toEqual([true, 0, 0])
  })

  it('tells what was put back', async () => {
    const { lane: one } = lane(0n, packedBatch(0n, 10, 50))
    one.putBack(await one.take())
    expect(one.isEmpty).toBe(false)
    expect(await all(one)).toEqual(['0-9, 10'])
  })
})
