// Answers as a broker sends them: what is taken out, and what is left to kafkajs.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { free } from './partition-lane.ts'
import { emptyAnswer, takeBatches, takeTooLarge, type FetchedPartition } from './take-batches.ts'
import { fetchedLogs } from '../log/fetch-answer.ts'
import { LARGE } from '../log/fetch-budget.ts'
import { BATCH } from '../log/record-batch.ts'
import { readParts } from '../log/read-packed.ts'
import { answerBytes, batchOf, type TestLog } from '../log/testing/log.ts'

/** Kafka's codes. */
const [OUT_OF_RANGE, CORRUPT, UNKNOWN, LEADER_MOVED] = [1, 2, 3, 6] as const

const nothing = { batches: Buffer.alloc(0) }

/** @param errors of the partitions, in their order */
const answerOf = (topics: readonly (readonly TestLog[])[], ...errors: readonly number[]): Buffer =>
  answerBytes(1, topics, errors)

const errorsIn = (answer: Buffer): number[] =>
  [...fetchedLogs(answer)].map(({ errorAt }) => answer.readInt16BE(errorAt))

const wordsOf = ({ topic, partition, status, batches }: FetchedPartition): string =>
  [`${topic}-${partition}`, status, ...batches.map(({ first, last }) => `${first}-${last}`)].join(' ')

describe('takeBatches', () => {
  it('takes all batches out of all logs, with the ends of their partitions', () => {
    const batches = Buffer.concat([batchOf(0n, 'a'), batchOf(1n, 'b', { lastOffsetDelta: 3 })])
    const frame = answerOf([[{ batches }, { batches: batchOf(0n, 'c') }, nothing], [{ batches }]])
    const { errorAt } = [...fetchedLogs(frame)][0]!
    frame.writeBigInt64BE(77n, errorAt + 2)
    const { answer, partitions } = takeBatches(frame)
    expect(partitions.map(wordsOf)).toEqual([
      'topic-0-0 good 0-0 1-4',
      'topic-0-1 good 0-0',
      'topic-0-2 good',
      'topic-1-0 good 0-0 1-4',
    ])
    expect(partitions.map(({ high }) => high)).toEqual([77n, 0n, 0n, 0n])
    expect(answer.readInt32BE(0)).toBe(answer.length - 4)
    expect([...fetchedLogs(answer)].map(({ from, to }) => to - from)).toEqual([68, 68, 0, 68])
  })

  it('leaves an answer without batches as it is', () => {
    for (const frame of [answerOf([[nothing]]), answerOf([])]) {
      const before = Buffer.from(frame)
      const { answer } = takeBatches(frame)
      expect(answer).toBe(frame)
      expect(answer).toEqual(before)
    }
  })

  it('says what a broker does not know or have, and has kafkajs read on where it would choose an offset itself', () => {
    const logs = [nothing, nothing, nothing]
    const { answer, partitions } = takeBatches(answerOf([logs, [nothing]], OUT_OF_RANGE, UNKNOWN, LEADER_MOVED))
    expect(partitions.map(wordsOf)).toEqual([
      'topic-0-0 outOfRange',
      'topic-0-1 unknown',
      'topic-0-2 failed',
      'topic-1-0 good',
    ])
    expect(errorsIn(answer)).toEqual([0, UNKNOWN, LEADER_MOVED, 0])
  })

  it('has kafkajs end with an error where a log is cut so far that nothing is understood', () => {
    const whole = batchOf(0n, 'a')
    for (const size of [1, BATCH.magic, BATCH.records - 1]) {
      const { answer, partitions } = takeBatches(answerOf([[{ batches: whole }, { batches: whole.subarray(0, size) }]]))
      expect(errorsIn(answer)).toEqual([0, CORRUPT])
      expect(partitions.map(wordsOf)).toEqual(['topic-0-0 good 0-0', 'topic-0-1 good'])
    }
  })

  it('takes nothing out of an answer that ends too early, of which kafkajs gets no batch either', () => {
    const frame = answerOf([[{ batches: batchOf(0n, 'a') }, { batches: batchOf(1n, 'b') }]])
    for (let size = 0; size < frame.length; size++) {
      const cut = Buffer.from(frame.subarray(0, size))
      // behind the last place that is read, the log itself is cut
      const isLog = size >= frame.length - batchOf(1n, 'b').length
      const { answer, partitions } = takeBatches(cut)
      expect(partitions.map(wordsOf)).toEqual(isLog ? ['topic-0-0 good 0-0', 'topic-0-1 good'] : [])
      if (isLog) expect(errorsIn(answer)).toEqual([0, CORRUPT])
    }
  })

  it('takes anything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void takeBatches(Buffer.from(bytes))),
      { numRuns: 500 },
    )
  })
})

describe('the memory of a batch', () => {
  const value = 'v'.repeat(100_000)
  const large = (first: bigint): Buffer => batchOf(first, 'x'.repeat(LARGE + 1))
  const taken = (...logs: readonly Buffer[]) => {
    const frame = answerOf([logs.map((batches) => ({ batches }))])
    return { frame, batches: takeBatches(frame).partitions.flatMap(({ batches }) => batches) }
  }

  it('is that of the log of its partition, and of the answer only where that log is most of it', () => {
    const many = taken(batchOf(0n, 'a'), batchOf(0n, value))
    expect(many.batches[0]!.packed.buffer.byteLength).toBeLessThan(200)
    const { frame, batches } = taken(batchOf(0n, value))
    expect(batches[0]!.packed.buffer).toBe(frame.buffer)
  })

  it('is let go alone: others of its answer can still be read', async () => {
    const { batches } = taken(Buffer.concat([large(1n), large(2n), large(3n)]), large(4n))
    for (const batch of batches) {
      const sizes: (number | undefined)[] = []
      for await (const { records } of readParts(batch)) sizes.push(...records.map(({ value }) => value?.length))
      expect(sizes).toEqual([LARGE + 1])
      free(batch)
    }
  })
})

describe('an answer that is not read', () => {
  it('is one of a batch that is too large, of the first partition that has some', () => {
    const batches = batchOf(7n, 'v'.repeat(100_000), { lastOffsetDelta: 4 })
    const whole = answerOf([[nothing, { batches }], [{ batches: batchOf(0n, 'other') }]])
    const found = takeTooLarge(whole.subarray(0, 1000))
    expect([wordsOf(found), found.batches[0]!.readAs]).toEqual(['topic-0-1 good 7-11', 'tooLarge'])
  })

  it('is not understood where it is not for one batch', () => {
    const whole = answerOf([[{ batches: batchOf(0n, 'a') }]])
    for (const head of [whole, whole.subarray(0, 40)]) expect(() => takeTooLarge(head)).toThrow(RangeError)
  })

  it('is one of nothing for kafkajs', () => {
    const answer = emptyAnswer(77)
    expect([answer.readInt32BE(0), answer.readInt32BE(4), [...fetchedLogs(answer)]]).toEqual([18, 77, []])
  })
})
