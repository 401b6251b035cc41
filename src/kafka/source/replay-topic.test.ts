import { expect, it } from 'vitest'
import { toMessage } from '../dead-letters/dead-letter.ts'
import { letterOf } from '../dead-letters/testing/letters.ts'
import { replayTopic } from './replay-topic.ts'
import { batchOf } from './testing/partitions.ts'

it('reads letters as the records they were, up to where the topic ended when it began', () => {
  const replaying = replayTopic(new Map([[0, { low: 0n, high: 2n }]]))
  const letters = ['a', 'b', 'c'].map((topic, index) => letterOf({ topic, partition: index }))
  const records = letters.map((letter, index) => ({ ...toMessage(letter), offset: BigInt(index), timestamp: 7n }))
  const { records: read, next, error } = replaying.read(batchOf(0, records))
  const originals = letters.slice(0, 2).map(({ record }) => record)
  expect(read).toMatchObject(originals)
  expect(read.map(({ from }) => from)).toEqual([
    { topic: 'a', partition: 0 },
    { topic: 'b', partition: 1 },
  ])
  expect([next, error, replaying.endOf({ topic: 'letters', partition: 0 })]).toEqual([2n, undefined, 2n])
  expect(replaying.endOf({ topic: 'letters', partition: 9 })).toBe(0n)
})
