// Every place a committed offset may have among a partition's offsets.
// Positions of whole assignments, from what a cluster answers.

import { describe, expect, it } from 'vitest'
import { decidePositions, outOfRange, startPosition } from './positions.ts'
import type { OffsetQuestions, PositionPolicies } from './positions.ts'

const range = { low: 10n, high: 20n }

describe('startPosition', () => {
  it.each([10n, 15n, 20n])('goes on at a committed offset that is there (%s)', (offset) => {
    expect(startPosition(offset, range, 10n, 'stop')).toEqual({ from: 'committed', offset })
  })

  it.each([undefined, -1n, -2n])('begins by the start policy when nothing was committed (%s)', (committed) => {
    expect(startPosition(committed, range, 13n, 'stop')).toEqual({ from: 'start', offset: 13n })
  })

  it.each([
    [3n, 10n],
    [30n, 20n],
  ])('keeps the start within what is there (%s)', (startAt, offset) => {
    expect(startPosition(undefined, range, startAt, 'stop')).toEqual({ from: 'start', offset })
  })

  it.each([
    ['stop', undefined],
    ['earliest', 10n],
    ['latest', 20n],
  ] as const)('goes by the policy when what was next is deleted: %s', (policy, offset) => {
    expect(startPosition(9n, range, 10n, policy)).toEqual({ from: 'out of range', side: 'below', offset })
  })

  it.each([
    ['stop', undefined],
    ['earliest', 10n],
    ['latest', 20n],
  ] as const)('goes by the policy when the partition ends before: %s', (policy, offset) => {
    expect(startPosition(21n, range, 10n, policy)).toEqual({ from: 'out of range', side: 'above', offset })
  })

  it('goes on at an offset that was committed within an open transaction', () => {
    expect(startPosition(25n, range, 10n, 'stop', 25n)).toEqual({ from: 'committed', offset: 25n })
    expect(startPosition(26n, range, 10n, 'latest', 25n)).toEqual({ from: 'out of range', side: 'above', offset: 20n })
  })

  it('begins an empty partition at its end', () => {
    expect(startPosition(5n, { low: 5n, high: 5n }, 5n, 'stop')).toEqual({ from: 'committed', offset: 5n })
    expect(startPosition(0n, { low: 0n, high: 0n }, 0n, 'stop')).toEqual({ from: 'committed', offset: 0n })
  })

  it('is exact beyond 2^53', () => {
    const huge = { low: 9_007_199_254_740_993n, high: 9_007_199_254_740_995n }
    expect(startPosition(9_007_199_254_740_992n, huge, 0n, 'earliest')).toMatchObject({ offset: huge.low })
  })
})

const topic = 'orders'
const both = [
  { topic, partition: 0 },
  { topic, partition: 1 },
]
const cluster = (committed: Readonly<Record<number, bigint>> = {}): OffsetQuestions => ({
  ranges: async () =>
    new Map([
      [0, { low: 10n, high: 20n }],
      [1, { low: 0n, high: 5n }],
    ]),
  watermarks: async () => new Map([[0, 20n], [1, 5n]]), // prettier-ignore
  topicIds: async () => new Map(),
  offsetsAt: async (_topic, timestamp) => new Map([[0, timestamp], [1, timestamp / 5n]]), // prettier-ignore
  committed: async () =>
    Object.entries(committed).map(([partition, offset]) => ({ topic, partition: Number(partition), offset })),
})
const policies = (more: Partial<PositionPolicies> = {}): PositionPolicies => ({
  group: 'g',
  startOf: () => 'earliest',
  outOfRangeOf: () => 'stop',
  ...more,
})

describe('decidePositions', () => {
  it('asks the start policy only where nothing was committed, and marks what is to be committed', async () => {
    expect(await decidePositions(cluster({ 0: 12n }), policies(), both, true)).toEqual([
      { topic, partition: 0, offset: 12n, high: 20n, isNew: false },
      { topic, partition: 1, offset: 0n, high: 5n, isNew: true },
    ])
  })

  it.each([
    ['latest' as const, [20n, 5n]],
    [{ timestamp: 15n }, [15n, 3n]],
  ])('starts by the policy (%s)', async (policy, offsets) => {
    const decided = await decidePositions(cluster(), policies({ startOf: () => policy }), both, true)
    expect(decided.map(({ offset }) => offset)).toEqual(offsets)
  })

  it('takes each topic by its own policies', async () => {
    const decided = await decidePositions(
      cluster(),
      policies({ startOf: (name) => (name === topic ? 'latest' : 'earliest') }),
      [
        { topic, partition: 0 },
        { topic: 'other', partition: 0 },
      ],
      true,
    )
    expect(decided.map(({ offset }) => offset)).toEqual([20n, 10n])
  })

  it('stops with everything a person needs to know', async () => {
    const deciding = decidePositions(cluster({ 0: 7n }), policies(), both, true)
    await expect(deciding).rejects.toMatchObject({
      name: 'ConnectorError',
      kind: 'config',
      message: expect.stringMatching(
        /^Topic orders, partition 0: .* offset 7, .* offset 10 \(end: 20\): the 3 offsets .* `out_of_range`/,
      ),
    })
  })

  it('goes on with a warning when it may', async () => {
    const lenient = policies({ outOfRangeOf: () => 'latest' })
    const [decided] = await decidePositions(cluster({ 0: 7n }), lenient, both, true)
    expect(decided).toMatchObject({ offset: 20n, isNew: true, warning: expect.stringMatching(/offset 20\.$/) })
  })

  it('does not believe at once that a partition ends before what was committed', async () => {
    const questions = cluster({ 1: 6n })
    await expect(decidePositions(questions, policies(), both, false)).rejects.not.toMatchObject({
      name: 'ConnectorError',
    })
    await expect(decidePositions(questions, policies(), both, true)).rejects.toThrow(/ends at offset 5 \(first: 0\)/)
  })

  it('believes the watermark that counts open transactions', async () => {
    const watermarks = async (): Promise<ReadonlyMap<number, bigint>> => new Map([[1, 6n]])
    const [, decided] = await decidePositions({ ...cluster({ 0: 12n, 1: 6n }), watermarks }, policies(), both, false)
    expect(decided).toEqual({ topic, partition: 1, offset: 6n, high: 5n, isNew: false })
  })

  it('asks for no watermark unless an offset is above the end', async () => {
    const watermarks = async (): Promise<never> => Promise.reject(new Error('asked'))
    expect(await decidePositions({ ...cluster({ 0: 20n }), watermarks }, policies(), both, false)).toHaveLength(2)
  })

  it('has no position for a partition that is not known yet', async () => {
    await expect(decidePositions(cluster(), policies(), [{ topic, partition: 9 }], true)).rejects.toThrow(/partition 9/)
  })

  it('asks nothing for nothing', async () => {
    const none = async (): Promise<never> => Promise.reject(new Error('asked'))
    const questions = {
      ranges: none,
      watermarks: none,
      offsetsAt: none,
      topicIds: async () => new Map(),
      committed: async () => [],
    }
    expect(await decidePositions(questions, policies(), [], true)).toEqual([])
  })
})

it('tells how many offsets are gone', () => {
  const words = (last: bigint): string =>
    outOfRange({ topic: 'a', partition: 0 }, last, { low: 5n, high: 9n }, 'below').message
  expect(words(4n)).toContain('(end: 9): the offset between was deleted before it was read. ')
  expect(words(2n)).toContain('(end: 9): the 3 offsets between were deleted before they were read. ')
})
