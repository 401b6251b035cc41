import { expect, it } from 'vitest'
import { askPositions, beginsAt, positionFindings, toRead } from './check-positions.ts'
import type { CheckedTopic } from './check-topics.ts'
import type { OffsetQuestions, OffsetRange } from '../client/positions.ts'
import { topicConfig } from '../source/testing/topics.ts'

const topicOf = (over: Parameters<typeof topicConfig>[0] = {}): CheckedTopic => ({
  name: 'orders',
  entry: topicConfig(over),
  mapper: undefined,
})

const questions = (
  ranges: readonly (readonly [low: bigint, high: bigint])[],
  committed: readonly (bigint | undefined)[] = [],
): OffsetQuestions => ({
  ranges: () => Promise.resolve(new Map(ranges.map(([low, high], at): [number, OffsetRange] => [at, { low, high }]))),
  committed: (_group, [topic]) =>
    Promise.resolve(
      committed.flatMap((offset, partition) => (offset === undefined ? [] : [{ topic: topic!, partition, offset }])),
    ),
  offsetsAt: () => Promise.resolve(new Map(ranges.map(([, high], at) => [at, high - 1n]))),
})

it('tells where each topic goes on, and how far the end is', async () => {
  const all = async (over: Parameters<typeof topicOf>[0], committed: (bigint | undefined)[]): Promise<unknown[]> => {
    const partitions = await askPositions(
      topicOf(over),
      'g',
      questions(
        [
          [10n, 20n],
          [0n, 5n],
        ],
        committed,
      ),
    )
    expect(positionFindings('orders', partitions)).toEqual([])
    return [beginsAt(topicOf(over), partitions), toRead(partitions)]
  }
  expect(await all({}, [])).toEqual(['earliest', 15n])
  expect(await all({ start: 'latest' }, [])).toEqual(['latest', 0n])
  expect(await all({ start: { timestamp: 1_769_817_600_000n } }, [])).toEqual(['2026-01-31T00:00:00.000Z', 2n])
  expect(await all({}, [12n, 5n])).toEqual(['committed', 8n])
  expect(await all({}, [12n])).toEqual(['committed, 1 earliest', 13n])
})

it('fails where an offset that is gone stops the run, and warns where it does not', async () => {
  const asked = questions(
    Array.from({ length: 5 }, () => [10n, 20n] as const),
    [1n, 99n, 3n, 4n, 15n],
  )
  const stopping = await askPositions(topicOf(), 'g', asked)
  expect(beginsAt(topicOf(), stopping)).toBe('out of range')
  expect(positionFindings('orders', stopping)).toEqual([
    { level: 'FAIL', text: expect.stringMatching(/partition 0: .* offset 1, .*out_of_range/) },
    { level: 'FAIL', text: expect.stringMatching(/partition 1: .*ends at offset 20/) },
    { level: 'FAIL', text: expect.stringMatching(/partition 2: /) },
    { level: 'FAIL', text: expect.stringMatching(/^Topic orders: in 1 further partitions too/) },
  ])
  const jumping = await askPositions(topicOf({ outOfRange: 'latest' }), 'g', asked)
  expect(positionFindings('orders', jumping).map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'warn'])
})

it('asks for no offsets of a group that may not be asked', async () => {
  const asked: OffsetQuestions = {
    ...questions([[0n, 1n]]),
    committed: () => Promise.reject(new Error('not this one')),
  }
  expect(await askPositions(topicOf(), undefined, asked)).toHaveLength(1)
})
