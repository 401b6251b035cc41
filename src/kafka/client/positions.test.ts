// Every place a committed offset may have among a partition's offsets, and positions of whole assignments.

import { describe, expect, it } from 'vitest'
import { outOfRange } from './out-of-range.ts'
import { decidePositions, startPosition } from './positions.ts'
import type { DecidedPosition, OffsetQuestions, PositionPolicies, StartPosition } from './positions.ts'

const range = { low: 10n, high: 20n }
const facts = { range, startAt: 13n, outOfRange: 'stop' } as const
const huge = { low: 9_007_199_254_740_993n, high: 9_007_199_254_740_995n }
const below = { from: 'out of range', side: 'below' } as const
const above = { from: 'out of range', side: 'above' } as const

type Case = [given: Partial<Parameters<typeof startPosition>[0]>, found: StartPosition]

it.each<Case>([
  ...[10n, 15n, 20n].map((offset): Case => [{ committed: offset }, { from: 'committed', offset }]),
  [{ committed: undefined }, { from: 'start', offset: 13n }],
  [{ startAt: 3n }, { from: 'start', offset: 10n }],
  [{ startAt: 30n }, { from: 'start', offset: 20n }],
  [{ committed: 9n }, { ...below, offset: undefined }],
  [
    { committed: 9n, outOfRange: 'earliest' },
    { ...below, offset: 10n },
  ],
  [
    { committed: 9n, outOfRange: 'latest' },
    { ...below, offset: 20n },
  ],
  [{ committed: 21n }, { ...above, offset: undefined }],
  [
    { committed: 21n, outOfRange: 'earliest' },
    { ...above, offset: 10n },
  ],
  [
    { committed: 21n, outOfRange: 'latest' },
    { ...above, offset: 20n },
  ],
  // within an open transaction
  [
    { committed: 25n, watermark: 25n },
    { from: 'committed', offset: 25n },
  ],
  [
    { committed: 26n, watermark: 25n, outOfRange: 'latest' },
    { ...above, offset: 20n },
  ],
  [
    { committed: 5n, range: { low: 5n, high: 5n } },
    { from: 'committed', offset: 5n },
  ],
  [
    { committed: 0n, range: { low: 0n, high: 0n } },
    { from: 'committed', offset: 0n },
  ],
  // beyond 2^53
  [
    { committed: huge.low - 1n, range: huge, outOfRange: 'earliest' },
    { ...below, offset: huge.low },
  ],
])('of %o reading begins at %o', (given, position) => {
  expect(startPosition({ committed: undefined, ...facts, ...given })).toEqual(position)
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

async function surely(...given: Parameters<typeof decidePositions>): Promise<readonly DecidedPosition[]> {
  const decided = await decidePositions(...given)
  return decided === 'unsure' ? expect.fail('unsure') : decided
}

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
    const decided = await surely(cluster(), policies({ startOf: () => policy }), both, true)
    expect(decided.map(({ offset }) => offset)).toEqual(offsets)
  })

  it('takes each topic by its own policies', async () => {
    const decided = await surely(
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
    const [decided] = await surely(cluster({ 0: 7n }), lenient, both, true)
    expect(decided).toMatchObject({ offset: 20n, isNew: true, warning: expect.stringMatching(/offset 20\.$/) })
  })

  it('does not believe at once that a partition ends before what was committed', async () => {
    const questions = cluster({ 1: 6n })
    expect(await decidePositions(questions, policies(), both, false)).toBe('unsure')
    await expect(decidePositions(questions, policies(), both, true)).rejects.toThrow(/ends at offset 5 \(first: 0\)/)
  })

  it('believes the watermark that counts open transactions', async () => {
    const watermarks = async (): Promise<ReadonlyMap<number, bigint>> => new Map([[1, 6n]])
    const [, decided] = await surely({ ...cluster({ 0: 12n, 1: 6n }), watermarks }, policies(), both, false)
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
