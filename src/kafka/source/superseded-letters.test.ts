// Versions of a row that waited with one the service refuses: its dead letter says where they were read.

import { expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import type { Outcome } from '../../core/types.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import type { TopicPartition } from '../types.ts'
import { deadLetterPolicy } from './dead-letter-policy.ts'
import { delivering, row, until, type Sent } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'
import { TOPIC } from './testing/topics.ts'

const POISON = 666
const refusing = (points: readonly Sent[]): Promise<Outcome> =>
  Promise.resolve(
    points.some(({ v }) => v === POISON) ? { status: 'refused', reason: 'poison' } : { status: 'delivered' },
  )

/** Versions of one row, those of partition 0 first.
 *  @param from where they were first read, if they are dead letters
 *  @returns the letters, and the versions that are stored */
async function lettersOf(
  versions: readonly (readonly [partition: number, version: number])[],
  over: Partial<TopicConfig> = {},
  from?: TopicPartition,
) {
  const letters: DeadLetter[] = []
  await using policy = await deadLetterPolicy(
    { onRejected: 'dead-letter', topic: 'letters', file: undefined, logKeys: false },
    {
      scrub: (text) => text,
      log: () => Promise.resolve(),
      take: () => undefined,
      wallClock: () => 0,
      openTopic: () =>
        Promise.resolve({
          send: async (letter) => void letters.push(letter),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
    },
  )
  const { source } = sourceOf(over, policy.place !== undefined)
  const { run, stop, delivered } = delivering(source, refusing, policy.rejects, versions.length)
  source.assigned([position(0, 0n), position(1, 0n)])
  const next = [0, 0]
  for (const partition of next.keys()) {
    const own = versions.filter(([of]) => of === partition)
    const records = own.map(([, version], at) => Object.assign(row(1, at, version), from && { from }))
    source.batch(batchOf(partition, records))
    next[partition] = records.length
  }
  const isSettled = (partition: number): boolean =>
    source.partitions.find((owned) => owned.track.partition === partition)!.settledTo === BigInt(next[partition]!)
  await until(() => isSettled(0) && isSettled(1))
  stop.abort()
  await run
  return { letters, stored: delivered.map(({ v }) => v) }
}

const at = (partition: number, offset: bigint) => ({ topic: TOPIC, partition, offset })

it('names topic, partition and offset, newest first', async () => {
  const { letters, stored } = await lettersOf([
    [0, 1],
    [0, 2],
    [1, 3],
    [1, POISON],
  ])
  expect(stored).toEqual([])
  expect(letters).toMatchObject([{ partition: 1, superseded: 3, record: { offset: 1n } }])
  expect(letters[0]!.supersededAt).toEqual([at(1, 0n), at(0, 1n), at(0, 0n)])
})

it('names the newest ten of many', async () => {
  const many = Array.from({ length: 100 }, (_, version): [number, number] => [0, version])
  const { letters } = await lettersOf([...many, [0, POISON]])
  expect(letters).toMatchObject([{ superseded: 100, record: { offset: 100n } }])
  expect(letters[0]!.supersededAt).toEqual(Array.from({ length: 10 }, (_, index) => at(0, BigInt(99 - index))))
})

it('names where a dead letter was first read, that waited as a replay', async () => {
  const first = { topic: TOPIC, partition: 7 }
  const { letters } = await lettersOf(
    [
      [0, 1],
      [0, POISON],
    ],
    {},
    first,
  )
  expect(letters).toMatchObject([{ ...first, superseded: 1 }])
  expect(letters[0]!.supersededAt).toEqual([{ ...first, offset: 0n }])
})

it('stores every version but the refused one with keep_last: false', async () => {
  const { letters, stored } = await lettersOf(
    [
      [0, 1],
      [0, 2],
      [0, POISON],
      [0, 3],
    ],
    { keepLast: false },
  )
  expect(stored).toEqual([1, 2, 3])
  expect(letters).toMatchObject([{ superseded: 0, supersededAt: [], record: { offset: 2n } }])
})
