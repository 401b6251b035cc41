// Dead letters read back are the records as they were, up to where the run goes.

import { assert, array, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toMessage, type DeadLetter } from './dead-letter.ts'
import { replayTopic } from './dead-letter-replay.ts'
import { anyLetter, letterOf } from './testing/letters.ts'
import type { FetchedBatch } from '../types.ts'
import { batchOf } from '../source/testing/partitions.ts'

/** Its offsets have gaps, as of markers. */
function lettersBatch(letters: readonly DeadLetter[]): FetchedBatch {
  const records = letters.map((letter, index) => ({ ...toMessage(letter), offset: BigInt(index * 2), timestamp: 7n }))
  const next = BigInt(letters.length * 2)
  return { topic: 'letters', partition: 1, records, bytes: 0, next, highWatermark: next }
}

const replayed = (batch: FetchedBatch, until: bigint) =>
  replayTopic(new Map([[batch.partition, { low: 0n, high: until }]])).read(batch)

describe('a batch of dead letters', () => {
  it('is the records in their order, with where each was first read and where its letter lies', () => {
    assert(
      property(array(anyLetter), (letters) => {
        const { records, next, error } = replayed(lettersBatch(letters), 1000n)
        expect(records).toEqual(
          letters.map(({ topic, partition, record }, index) => {
            return { ...record, from: { topic, partition }, letterOffset: BigInt(index * 2) }
          }),
        )
        expect([next, error]).toEqual([BigInt(letters.length * 2), undefined])
      }),
    )
  })

  it('goes as far as the topic went when the run began', () => {
    const letters = [letterOf({}), letterOf({}), letterOf({})]
    expect(replayed(lettersBatch(letters), 4n)).toMatchObject({ next: 4n, records: [{}, {}] })
    expect(replayed(lettersBatch(letters), 0n)).toMatchObject({ next: 0n, records: [], error: undefined })
    const reading = replayTopic(new Map([[1, { low: 0n, high: 4n }]]))
    expect([1, 9].map((partition) => reading.endOf({ topic: 'letters', partition }))).toEqual([4n, 0n])
  })

  it('ends before a record that is not a dead letter, with an error that names it', () => {
    const batch = lettersBatch([letterOf({}), letterOf({}), letterOf({})])
    const records = batch.records.with(1, { ...batch.records[1]!, headers: [] })
    const { records: read, next, error } = replayed({ ...batch, records }, 1000n)
    expect([read.length, next]).toEqual([1, 2n])
    expect(error?.kind).toBe('config')
    expect(error?.message).toContain(
      '"letters" holds a record that is not a dead letter, partition 1, offset 2: it has no header dlq.reason.',
    )
    expect(error?.message).toContain('--topic letters:1 --to-offset 3')
  })

  it('takes a letter whose own headers are more than a record may have, and none of many more', () => {
    const batch = lettersBatch([letterOf({}), letterOf({})])
    const [first, second] = batch.records.map(({ headers, ...record }) => ({ ...record, headers: [], of: headers }))
    const letter = { ...first!, unread: { why: 'it has 1006 headers', letterHeaders: first!.of } }
    const none = { ...second!, unread: { why: 'it has 4000000 headers', letterHeaders: undefined } }
    const { records, error } = replayed({ ...batch, records: [letter, none] }, 1000n)
    expect(records).toMatchObject([letterOf({}).record])
    expect(error?.message).toContain('offset 2: it has 4000000 headers.')
  })
})

it('reads all letters of a topic that was created again meanwhile, up to its end', () => {
  const replaying = replayTopic(new Map([[0, { low: 0n, high: 9n }]]))
  const move = { ...batchOf(0, []), next: 0n, highWatermark: 2n, isMove: true }
  expect(replaying.read(move)).toMatchObject({ next: 0n, isMove: true })
  expect(replaying.endOf({ topic: 'letters', partition: 0 })).toBe(2n)
})
