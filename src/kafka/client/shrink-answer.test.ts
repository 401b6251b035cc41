// Answers as a broker sends them, shrunk, then as kafkajs sees them.

import * as fc from 'fast-check'
import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { recordsFrom } from './partition-lane.ts'
import { emptyAnswer, refusedAnswer, shrinkAnswer } from './shrink-answer.ts'
import { claimBatches, free, KeptBatches } from './stand-ins.ts'
import { fetchedLogs } from '../log/fetch-answer.ts'
import { FetchBudget, LARGE } from '../log/fetch-budget.ts'
import { BATCH, UNCOUNTED } from '../log/record-batch.ts'
import type { PackedBatch } from '../log/record-batch.ts'
import type { UnreadableBatch } from '../log/unreadable-batch.ts'
import { answerBytes, anyRecords, batchBytes, markerBytes, recordBytes } from '../log/testing/log.ts'
import type { TestLog, TestRecord } from '../log/testing/log.ts'
import { readLogRecords } from '../log/read-records.ts'
import { readParts, readWhole, unreadableOf } from '../log/read-packed.ts'
import type { KafkaRecord, TopicPartition } from '../types.ts'

const one = (value: string): TestRecord => ({
  timestampDelta: 0n,
  offsetDelta: 0,
  key: null,
  value: Buffer.from(value),
  headers: [],
})
const batchOf = (first: bigint, value: string, more: object = {}): Buffer =>
  batchBytes({ firstOffset: first, count: 1, packed: recordBytes(one(value)), ...more })

/** Kafka's code for it. */
const CORRUPT = 2
const empty = (more: object): Buffer => batchBytes({ firstOffset: 1n, count: 0, packed: Buffer.alloc(0), ...more })
const compressed = (batch: Buffer): Buffer => (batch.writeInt16BE(0x31, BATCH.attributes), batch)

/** A good batch, but for four bytes. */
function changed(at: number, value: number): Buffer {
  const batch = batchOf(1n, 'b')
  batch.writeInt32BE(value, at)
  return batch
}

function shrunk(frame: Buffer): { answer: Buffer; batches: PackedBatch[] } {
  const batches: PackedBatch[] = []
  const kept = new KeptBatches(new FetchBudget())
  const answer = shrinkAnswer(frame, (batch) => (batches.push(batch), kept.keep(batch)))
  return { answer, batches }
}

/** Of the partitions, after it. */
function errorsOf(topics: readonly (readonly TestLog[])[]): number[] {
  const { answer } = shrunk(answerBytes(1, topics))
  return [...fetchedLogs(answer)].map(({ errorAt }) => answer.readInt16BE(errorAt))
}

/** The heads and packed records of all logs of an answer. */
function standIns(answer: Buffer): { head: Buffer; packed: Buffer }[] {
  // as kafkajs does
  const copy = Buffer.concat([Buffer.alloc(0), answer])
  const found: { head: Buffer; packed: Buffer }[] = []
  for (const { from, to } of fetchedLogs(copy))
    for (let at = from; at + BATCH.records <= to;) {
      const end = at + UNCOUNTED + copy.readInt32BE(at + BATCH.length)
      if (end > to) break
      found.push({ head: copy.subarray(at, at + BATCH.records), packed: copy.subarray(at + BATCH.records, end) })
      at = end
    }
  return found
}

const marked = (log: TestLog): { head: Buffer; packed: Buffer }[] =>
  standIns(shrunk(Buffer.from(answerBytes(1, [[log]]))).answer)

/** What stands for batches, as kafkajs decodes it. */
function messagesOf(batches: readonly { head: Buffer; packed: Buffer }[]): KafkaMessage[] {
  return batches.map(({ head, packed }) => {
    expect([head.readInt16BE(BATCH.attributes), head.readInt32BE(BATCH.count)]).toEqual([0, 1])
    const batch = { bytes: packed, firstOffset: head.readBigInt64BE(BATCH.firstOffset), firstTimestamp: 0n }
    const [record] = readLogRecords({ ...batch, appendTime: undefined }, 1, head.readInt32BE(BATCH.lastOffsetDelta))
    const { offset, value, key } = record!
    return { offset: `${offset}`, value, key, timestamp: '0', attributes: 0, headers: {} }
  })
}

interface Found {
  readonly records: KafkaRecord[]
  /** Of the last batch that was read. */
  readonly last: bigint | undefined
  readonly bad: UnreadableBatch | undefined
}

/** All that messages stand for, up to what cannot be read. */
async function readAll(messages: readonly KafkaMessage[]): Promise<Found> {
  const records: KafkaRecord[] = []
  let last: bigint | undefined
  for (const { batch } of claimBatches(messages) ?? expect.fail('they were let go')) {
    try {
      const read = await readWhole(batch)
      if (read === 'large') for await (const part of readParts(batch)) records.push(...part.records)
      else records.push(...read.records)
      last = batch.last
    } catch (error) {
      return { records, last, bad: unreadableOf(batch, error) }
    }
  }
  return { records, last, bad: undefined }
}

const valuesOf = async (messages: readonly KafkaMessage[]): Promise<(string | undefined)[]> =>
  (await readAll(messages)).records.map(({ value }) => value?.toString())

describe('the memory of a batch', () => {
  const areAlone = (...logs: readonly TestLog[]): boolean[] =>
    shrunk(Buffer.from(answerBytes(1, [logs]))).batches.map(({ isAlone }) => isAlone)
  const large = (first: bigint): Buffer => batchOf(first, 'x'.repeat(LARGE + 1))

  it('is its own where nothing else is in the log of its partition', () => {
    const [first, second] = [batchOf(1n, 'a'), batchOf(2n, 'b')]
    expect(areAlone({ batches: first })).toEqual([true])
    expect(areAlone({ batches: first }, { batches: second })).toEqual([true, true])
    expect(areAlone({ batches: Buffer.concat([first, second]) })).toEqual([false, false])
    expect(areAlone({ batches: Buffer.concat([first, second.subarray(0, 65)]) })).toEqual([false])
  })

  it('is let go alone: others of its answer can still be read', async () => {
    const logs = [{ batches: Buffer.concat([large(1n), large(2n), large(3n)]) }, { batches: large(4n) }]
    const { batches } = shrunk(Buffer.from(answerBytes(1, [logs])))
    for (const batch of batches) {
      const sizes: (number | undefined)[] = []
      for await (const { records } of readParts(batch)) sizes.push(...records.map(({ value }) => value?.length))
      expect(sizes).toEqual([LARGE + 1])
      free(batch)
    }
  })
})

describe('a batch that another stands for', () => {
  it('gives the records that were in it, from the offset that was asked for on', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, fc.bigInt(0n, 30n), async (records, from) => {
        const packed = Buffer.concat(records.map(recordBytes))
        const lastOffsetDelta = records.at(-1)!.offsetDelta
        const batches = batchBytes({ count: records.length, lastOffsetDelta, packed })
        const messages = messagesOf(marked({ batches }))
        const found = await readAll(messages)
        expect(found.last).toBe(BigInt(lastOffsetDelta))
        const wanted = recordsFrom({ records: found.records as never, bytes: 0 }, from)
        expect(wanted.map(({ offset, key, value }) => ({ offset, key, value }))).toEqual(
          records
            .map(({ offsetDelta, key, value }) => ({ offset: BigInt(offsetDelta), key, value }))
            .filter(({ offset }) => offset >= from),
        )
      }),
    )
  })

  it('stands behind another, in several logs', async () => {
    const batches = Buffer.concat([batchOf(0n, 'a'), batchOf(1n, 'b')])
    expect(await valuesOf(messagesOf(marked({ batches })))).toEqual(['a', 'b'])
    const frame = answerBytes(1, [[{ batches }, { batches: batchOf(0n, 'c') }], [{ batches }]])
    const { answer } = shrunk(Buffer.from(frame))
    expect(await valuesOf(messagesOf(standIns(answer)))).toEqual(['a', 'b', 'c', 'a', 'b'])
    expect(answer.readInt32BE(0)).toBe(answer.length - 4)
  })

  it('with its last records taken back has none, until the marker of its producer', async () => {
    const of = (producerId: bigint) => ({ producerId, attributes: 0x10 })
    const batches = Buffer.concat([
      batchOf(0n, 'early', of(1n)),
      batchOf(1n, 'a', of(1n)),
      batchOf(2n, 'b', of(2n)),
      batchOf(3n, 'plain', { producerId: 1n }),
      markerBytes(4n, 1n, 0),
      batchOf(5n, 'c', of(1n)),
      markerBytes(6n, 1n, 1),
      batchOf(7n, 'd', of(2n)),
    ])
    const aborted = [
      [2n, 2n],
      [1n, 1n],
    ] as const
    const found = messagesOf(marked({ batches, aborted }))
    expect(await valuesOf(found)).toEqual(['early', 'plain', 'c'])
    expect(found.map(({ offset }) => offset)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  it('of transactions that began before what was fetched is known by both of them', async () => {
    const of = (producerId: bigint) => ({ producerId, attributes: 0x10 })
    const batches = Buffer.concat([batchOf(9n, 'b', of(2n)), batchOf(10n, 'a', of(1n)), batchOf(11n, 'c', of(3n))])
    const messages = messagesOf(
      marked({
        batches,
        aborted: [
          [1n, 3n],
          [2n, 5n],
        ],
      }),
    )
    const { records, last } = await readAll(messages)
    expect(records.map(({ value }) => String(value))).toEqual(['c'])
    expect(last).toBe(11n)
  })

  it('is not taken for one of a transaction, nor for a marker, by kafkajs', () => {
    const batches = Buffer.concat([batchOf(0n, 'a', { attributes: 0x10 }), markerBytes(1n, 1n, 0)])
    for (const { head } of marked({ batches })) expect(head.readInt16BE(BATCH.attributes)).toBe(0)
  })

  it.each([
    ['a marker', markerBytes(1n, 1n, 1)],
    ['a marker of a kind that is not known', markerBytes(1n, 1n, 5)],
    ['what compaction left of a batch', empty({})],
    ['what compaction left of a compressed one', empty({ attributes: 4 })],
    ['what compaction left of a marker', empty({ attributes: 0x30 })],
  ])('has no records where it is %s, and is passed over', async (_, between) => {
    const batches = Buffer.concat([batchOf(0n, 'a'), between, batchOf(2n, 'b')])
    expect(await valuesOf(messagesOf(marked({ batches })))).toEqual(['a', 'b'])
    const alone = await readAll(messagesOf(marked({ batches: between })))
    expect(alone).toEqual({ records: [], last: 1n, bad: undefined })
  })
})

describe('what is damaged', () => {
  it.each([
    ['too few records', batchBytes({ firstOffset: 1n, count: 3, packed: recordBytes(one('b')) }), 3n],
    ['too many records', batchBytes({ firstOffset: 1n, count: 0, packed: recordBytes(one('b')) }), 1n],
    ['a number of records that cannot be', batchOf(1n, 'b', { count: -1 }), 1n],
    ['a marker with a key that is none', batchOf(1n, 'b', { attributes: 0x30 }), 1n],
    ['a marker that is compressed', compressed(markerBytes(1n, 1n, 0)), 1n],
    ['a marker and more', batchOf(1n, 'b', { attributes: 0x30, count: 2, lastOffsetDelta: 1 }), 2n],
  ])('is told with its offsets: %s', async (_, bad, last) => {
    const batches = Buffer.concat([batchOf(0n, 'a'), bad, batchOf(9n, 'c')])
    const found = await readAll(messagesOf(marked({ batches })))
    expect([found.records.length, found.last]).toEqual([1, 0n])
    expect(found.bad).toMatchObject({ codec: 'none', offsets: { first: 1n, last }, error: { reason: 'damaged' } })
  })

  it.each([
    ['its first offset is behind that of the next', batchOf(0n, 'b')],
    ['its offsets are negative', batchOf(-7n, 'b')],
    ['its offsets are none that Kafka has', batchOf(2n ** 63n - 1n, 'b')],
    ['its last offset is before its first', batchOf(1n, 'b', { lastOffsetDelta: -1 })],
  ])('is told where %s', async (_, bad) => {
    const batches = Buffer.concat([batchOf(0n, 'a'), bad, batchOf(9n, 'c')])
    const found = await readAll(messagesOf(marked({ batches })))
    expect([found.records.length, found.last]).toEqual([1, 0n])
    expect(found.bad).toMatchObject({ offsets: undefined, error: { reason: 'damaged' } })
  })

  it.each([
    ['of no length', changed(BATCH.length, 0)],
    ['of a length less than a head', changed(BATCH.length, 48)],
    ['of a negative length', changed(BATCH.length, -13)],
    ['of another format', changed(BATCH.magic, 3 << 24)],
    ['of no format', changed(BATCH.magic, -1)],
  ])('is a batch %s, when it is the first', async (_, bad) => {
    const before = marked({ batches: Buffer.concat([batchOf(0n, 'a'), bad]) })
    expect(await valuesOf(messagesOf(before))).toEqual(['a'])
    const found = await readAll(messagesOf(marked({ batches: bad })))
    expect(found).toMatchObject({ records: [], last: undefined, bad: { offsets: undefined } })
  })

  it('is a first batch that is cut: so far that kafkajs is told of an error', async () => {
    const whole = batchOf(0n, 'a')
    for (let size = BATCH.records; size < whole.length; size++) {
      const found = await readAll(messagesOf(marked({ batches: whole.subarray(0, size) })))
      expect(found).toMatchObject({ records: [], last: undefined, bad: { offsets: undefined } })
    }
    for (const size of [1, BATCH.magic, BATCH.records - 1])
      expect(errorsOf([[{ batches: whole }, { batches: whole.subarray(0, size) }]])).toEqual([0, CORRUPT])
  })

  it.each([
    ['the oldest format', batchOf(0n, 'a', { magic: 0 })],
    ['an old format', batchOf(0n, 'a', { magic: 1 })],
    ['a part of it', batchOf(0n, 'a', { magic: 1 }).subarray(0, 20)],
  ])('is told where it is %s, when it is the first', async (_, bad) => {
    const before = marked({ batches: Buffer.concat([batchOf(0n, 'a'), bad]) })
    expect(await valuesOf(messagesOf(before))).toEqual(['a'])
    const found = await readAll(messagesOf(marked({ batches: bad })))
    expect(found).toMatchObject({ records: [], last: undefined, bad: { offsets: undefined, error: { reason: 'old' } } })
  })

  it('is an answer that ends within a log', () => {
    const frame = answerBytes(1, [[{ batches: batchOf(0n, 'a') }, { batches: batchOf(0n, 'b') }]])
    const { answer } = shrunk(Buffer.from(frame.subarray(0, -1)))
    expect([...fetchedLogs(answer)].map(({ errorAt }) => answer.readInt16BE(errorAt))).toEqual([0, CORRUPT])
  })
})

describe('what is left to kafkajs', () => {
  it('nothing', () => {
    const frame = answerBytes(1, [[{ batches: Buffer.alloc(0) }]])
    const before = Buffer.from(frame)
    expect(shrunk(frame).answer).toEqual(before)
    for (const one of [frame, answerBytes(1, [])]) expect(shrunk(one).answer).toBe(one)
  })

  it('an answer that is anything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void shrunk(Buffer.from(bytes))),
      { numRuns: 500 },
    )
    const frame = answerBytes(1, [[{ batches: batchOf(0n, 'a') }, { batches: batchOf(1n, 'b') }]])
    for (let size = 0; size < frame.length; size++) shrunk(Buffer.from(frame.subarray(0, size)))
  })
})

describe('a partition that the broker does not know', () => {
  const log = { batches: Buffer.from('anything') }
  const LEADER_MOVED = 6
  const UNKNOWN = 3

  /** Two partitions of a topic, and one of another. @param codes of each */
  function answer(...codes: readonly number[]): Buffer {
    const frame = answerBytes(1, [[log, log], [log]])
    for (const [index, { errorAt }] of [...fetchedLogs(frame)].entries()) frame.writeInt16BE(codes[index]!, errorAt)
    return frame
  }

  function unknownPartitions(frame: Buffer): TopicPartition[] {
    const found: TopicPartition[] = []
    shrinkAnswer(Buffer.from(frame), () => 1, (partition) => found.push(partition)) // prettier-ignore
    return found
  }

  it('is named, and no other', () => {
    expect(unknownPartitions(answer(0, 0, 0))).toEqual([])
    expect(unknownPartitions(answer(LEADER_MOVED, 1, 2))).toEqual([])
    expect(unknownPartitions(answer(0, UNKNOWN, 0))).toEqual([{ topic: 'topic-0', partition: 1 }])
    expect(unknownPartitions(answer(UNKNOWN, 0, UNKNOWN))).toEqual([
      { topic: 'topic-0', partition: 0 },
      { topic: 'topic-1', partition: 0 },
    ])
  })

  it('is named where it comes before the end of an answer that is cut', () => {
    const whole = answer(UNKNOWN, 0, UNKNOWN)
    const all = unknownPartitions(whole)
    for (let length = 0; length < whole.length; length++) {
      const found = unknownPartitions(whole.subarray(0, length))
      expect(found).toEqual(all.slice(0, found.length))
    }
    expect(unknownPartitions(whole.subarray(0, whole.length - 40))).toEqual(all.slice(0, 1))
  })
})

describe('what is kept of an answer', () => {
  const value = 'v'.repeat(100_000)

  it('is the log of a partition, and not the answer that it came in', () => {
    const { batches } = shrunk(answerBytes(1, [[{ batches: batchOf(0n, 'a') }, { batches: batchOf(0n, value) }]]))
    expect(batches[0]!.packed.buffer.byteLength).toBeLessThan(200)
  })

  it('is not copied where it is most of the answer', () => {
    const frame = answerBytes(1, [[{ batches: batchOf(0n, value) }]])
    expect(shrunk(frame).batches[0]!.packed.buffer).toBe(frame.buffer)
  })

  it('is forgotten with the next answer, unless it was claimed', () => {
    const budget = new FetchBudget()
    const kept = new KeptBatches(budget)
    const frame = answerBytes(1, [[{ batches: Buffer.concat([batchOf(0n, 'a'), batchOf(1n, value)]) }]])
    const stands = standIns(shrinkAnswer(frame, (batch) => kept.keep(batch)))
    const messages = messagesOf(stands)
    const [one] = claimBatches(messages.slice(1)) ?? []
    const before = budget.held
    kept[Symbol.dispose]()
    expect([before > budget.held, budget.held > value.length]).toEqual([true, true])
    expect(claimBatches(messages.slice(0, 1))).toBeUndefined()
    expect(claimBatches(messages.slice(1))).toBeUndefined()
    for (const value of [Buffer.from('x'), Buffer.from('12345678'), Buffer.alloc(8), null])
      expect(() => claimBatches([{ value }])).toThrow(/past the batches/)
    one!.hold.release()
    expect(budget.held).toBe(0)
  })
})

describe('an answer that is not read', () => {
  it('is one of a batch that is too large, with its offsets, of the first partition that has some', async () => {
    const batches = batchOf(7n, 'v'.repeat(100_000), { lastOffsetDelta: 4 })
    const whole = answerBytes(9, [[{ batches: Buffer.alloc(0) }, { batches }], [{ batches: batchOf(0n, 'other') }]])
    const kept = new KeptBatches(new FetchBudget())
    const answer = refusedAnswer(whole.subarray(0, 1000), (batch) => kept.keep(batch))
    expect([answer.readInt32BE(0), answer.readInt32BE(4)]).toEqual([answer.length - 4, 9])
    const [log, ...others] = fetchedLogs(answer)
    expect([answer.readInt32BE(log!.partitionAt), others]).toEqual([1, []])
    const { bad, records } = await readAll(messagesOf(standIns(answer)))
    expect(records).toEqual([])
    expect(bad).toMatchObject({ offsets: { first: 7n, last: 11n }, error: { reason: 'tooLarge' } })
  })

  it('is not understood where it is not for one batch', () => {
    const keep = (): never => expect.fail('nothing is kept')
    const whole = answerBytes(9, [[{ batches: batchOf(0n, 'a') }]])
    expect(() => refusedAnswer(whole, keep)).toThrow(RangeError)
    expect(() => refusedAnswer(whole.subarray(0, 40), keep)).toThrow(RangeError)
  })

  it('may be one of nothing', () => {
    const answer = emptyAnswer(77)
    expect([answer.readInt32BE(0), answer.readInt32BE(4), [...fetchedLogs(answer)]]).toEqual([18, 77, []])
  })
})
