// Answers as a broker sends them, marked, then as kafkajs and its codecs see them.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KafkaMessage } from 'kafkajs'
import { fetchedLogs } from './fetch-answer.ts'
import { fetchedRecords } from '../fetched-records.ts'
import { readable } from '../kafkajs-codecs.ts'
import { BATCH, UNCOUNTED } from './log-batch.ts'
import { markAnswer } from './mark-answer.ts'
import { MARK } from './marked-batches.ts'
import { answerBytes, anyRecords, batchBytes, markerBytes, recordBytes } from './test-log.ts'
import type { TestLog, TestRecord } from './test-log.ts'

const LIMIT = 1 << 20
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

/** Of the partitions, after marking. */
function errorsOf(topics: readonly (readonly TestLog[])[]): number[] {
  const frame = answerBytes(1, topics)
  markAnswer(frame)
  return [...fetchedLogs(frame)].map(({ errorAt }) => frame.readInt16BE(errorAt))
}

/** The heads and packed records of an answer's only log, after marking. */
function marked(log: TestLog): { head: Buffer; packed: Buffer }[] {
  const frame = Buffer.from(answerBytes(1, [[log]]))
  markAnswer(frame)
  // as kafkajs does
  const copy = Buffer.concat([Buffer.alloc(0), frame]).subarray(frame.length - log.batches.length)
  const found: { head: Buffer; packed: Buffer }[] = []
  for (let at = 0; at + BATCH.records <= copy.length;) {
    const end = at + UNCOUNTED + copy.readInt32BE(at + BATCH.length)
    if (end > copy.length) break
    found.push({ head: copy.subarray(at, at + BATCH.records), packed: copy.subarray(at + BATCH.records, end) })
    at = end
  }
  return found
}

/** What stands for marked batches, as kafkajs takes it apart. */
async function messagesOf(batches: readonly { head: Buffer; packed: Buffer }[]): Promise<KafkaMessage[]> {
  const messages: KafkaMessage[] = []
  for (const { head, packed } of batches) {
    expect([head.readInt16BE(BATCH.attributes) & 7, head.readInt32BE(BATCH.count)]).toEqual([MARK, 1])
    const record = await readable(MARK, undefined, packed, LIMIT)
    const last = head.readBigInt64BE(BATCH.firstOffset) + BigInt(head.readInt32BE(BATCH.lastOffsetDelta))
    const value = record.subarray(record.length - 2, record.length - 1)
    messages.push({ offset: `${last}`, value, key: null, timestamp: '0', attributes: 0, headers: {} })
  }
  return messages
}

const valuesOf = (messages: readonly KafkaMessage[], from = 0n): (string | undefined)[] =>
  fetchedRecords(messages, from).records.map(({ value }) => value?.toString())

describe('a marked batch', () => {
  it('gives the records that were in it, from the offset that was asked for on', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, fc.bigInt(0n, 30n), async (records, from) => {
        const packed = Buffer.concat(records.map(recordBytes))
        const lastOffsetDelta = records.at(-1)!.offsetDelta
        const batches = batchBytes({ count: records.length, lastOffsetDelta, packed })
        const messages = await messagesOf(marked({ batches }))
        const found = fetchedRecords(messages, from)
        expect(found.last).toBe(`${lastOffsetDelta}`)
        expect(found.records.map(({ offset, key, value }) => ({ offset, key, value }))).toEqual(
          records
            .map(({ offsetDelta, key, value }) => ({ offset: BigInt(offsetDelta), key, value }))
            .filter(({ offset }) => offset >= from),
        )
      }),
    )
  })

  it('stands behind another, in several logs', async () => {
    const batches = Buffer.concat([batchOf(0n, 'a'), batchOf(1n, 'b')])
    expect(valuesOf(await messagesOf(marked({ batches })))).toEqual(['a', 'b'])
    const frame = answerBytes(1, [[{ batches }, { batches: batchOf(0n, 'c') }], [{ batches }]])
    markAnswer(frame)
    let count = 0
    for (let at = frame.indexOf('mar'); at !== -1; at = frame.indexOf('mar', at + 1)) count++
    expect(count).toBe(5)
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
    const found = await messagesOf(marked({ batches, aborted }))
    expect(valuesOf(found)).toEqual(['early', 'plain', 'c'])
    expect(found.map(({ offset }) => offset)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  it('of transactions that began before what was fetched is known by both of them', async () => {
    const of = (producerId: bigint) => ({ producerId, attributes: 0x10 })
    const batches = Buffer.concat([batchOf(9n, 'b', of(2n)), batchOf(10n, 'a', of(1n)), batchOf(11n, 'c', of(3n))])
    const messages = await messagesOf(
      marked({
        batches,
        aborted: [
          [1n, 3n],
          [2n, 5n],
        ],
      }),
    )
    expect(valuesOf(messages)).toEqual(['c'])
    expect(fetchedRecords(messages, 0n).last).toBe('11')
  })

  it('is not taken for one of a transaction, nor for a marker, by kafkajs', () => {
    const batches = Buffer.concat([batchOf(0n, 'a', { attributes: 0x10 }), markerBytes(1n, 1n, 0)])
    for (const { head } of marked({ batches })) expect(head.readInt16BE(BATCH.attributes)).toBe(MARK)
  })

  it.each([
    ['a marker', markerBytes(1n, 1n, 1)],
    ['a marker of a kind that is not known', markerBytes(1n, 1n, 5)],
    ['what compaction left of a batch', empty({})],
    ['what compaction left of a compressed one', empty({ attributes: 4 })],
    ['what compaction left of a marker', empty({ attributes: 0x30 })],
  ])('has no records where it is %s, and is passed over', async (_, between) => {
    const batches = Buffer.concat([batchOf(0n, 'a'), between, batchOf(2n, 'b')])
    expect(valuesOf(await messagesOf(marked({ batches })))).toEqual(['a', 'b'])
    const alone = fetchedRecords(await messagesOf(marked({ batches: between })), 0n)
    expect(alone).toEqual({ records: [], bytes: 0, last: '1', bad: undefined })
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
    const found = fetchedRecords(await messagesOf(marked({ batches })), 0n)
    expect([found.records.length, found.last]).toEqual([1, '0'])
    expect(found.bad).toMatchObject({ codec: 'none', offsets: { first: 1n, last }, error: { reason: 'damaged' } })
  })

  it.each([
    ['its first offset is behind that of the next', batchOf(0n, 'b')],
    ['its offsets are negative', batchOf(-7n, 'b')],
    ['its offsets are none that Kafka has', batchOf(2n ** 63n - 1n, 'b')],
    ['its last offset is before its first', batchOf(1n, 'b', { lastOffsetDelta: -1 })],
  ])('is told where %s', async (_, bad) => {
    const batches = Buffer.concat([batchOf(0n, 'a'), bad, batchOf(9n, 'c')])
    const found = fetchedRecords(await messagesOf(marked({ batches })), 0n)
    expect([found.records.length, found.last]).toEqual([1, '0'])
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
    expect(valuesOf(await messagesOf(before))).toEqual(['a'])
    const found = fetchedRecords(await messagesOf(marked({ batches: bad })), 0n)
    expect(found).toMatchObject({ records: [], last: undefined, bad: { offsets: undefined } })
  })

  it('is a first batch that is cut: so far that kafkajs is told of an error', async () => {
    const whole = batchOf(0n, 'a')
    for (let size = BATCH.records; size < whole.length; size++) {
      const found = fetchedRecords(await messagesOf(marked({ batches: whole.subarray(0, size) })), 0n)
      expect(found).toMatchObject({ records: [], last: undefined, bad: { offsets: undefined } })
    }
    for (const size of [1, BATCH.magic, BATCH.records - 1])
      expect(errorsOf([[{ batches: whole }, { batches: whole.subarray(0, size) }]])).toEqual([0, CORRUPT])
  })

  it('is an answer that ends within a log', () => {
    const frame = answerBytes(1, [[{ batches: batchOf(0n, 'a') }, { batches: batchOf(0n, 'b') }]])
    const cut = Buffer.from(frame.subarray(0, -1))
    markAnswer(cut)
    expect([...fetchedLogs(cut)].map(({ errorAt }) => cut.readInt16BE(errorAt))).toEqual([0, CORRUPT])
  })
})

describe('what is left to kafkajs', () => {
  it.each([
    ['the oldest format', batchOf(0n, 'a', { magic: 0 })],
    ['an old format', batchOf(0n, 'a', { magic: 1 })],
    ['a part of it', batchOf(0n, 'a', { magic: 1 }).subarray(0, 20)],
    ['nothing', Buffer.alloc(0)],
  ])('%s', (_, batches) => {
    const frame = answerBytes(1, [[{ batches }]])
    const before = Buffer.from(frame)
    markAnswer(frame)
    expect(frame).toEqual(before)
  })

  it('an answer that is anything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => markAnswer(Buffer.from(bytes))),
      { numRuns: 500 },
    )
    const frame = answerBytes(1, [[{ batches: batchOf(0n, 'a') }, { batches: batchOf(1n, 'b') }]])
    for (let size = 0; size < frame.length; size++) markAnswer(Buffer.from(frame.subarray(0, size)))
  })
})
