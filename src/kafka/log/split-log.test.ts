// Logs as brokers send them, split into batches, and what is read of these.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BATCH } from './record-batch.ts'
import { readParts, readWhole, unreadableOf } from './read-packed.ts'
import { batchTooLarge, splitLog } from './split-log.ts'
import { anyRecords, batchBytes, batchOf, markerBytes, recordBytes } from './testing/log.ts'
import type { UnreadableBatch } from './unreadable-batch.ts'
import type { KafkaRecord } from '../types.ts'

const one = (value: string): Buffer =>
  recordBytes({ timestampDelta: 0n, offsetDelta: 0, key: null, value: Buffer.from(value), headers: [] })
const empty = (more: object): Buffer => batchBytes({ firstOffset: 1n, count: 0, packed: Buffer.alloc(0), ...more })
const compressed = (batch: Buffer): Buffer => (batch.writeInt16BE(0x31, BATCH.attributes), batch)

/** A good batch, but for four bytes. */
function changed(at: number, value: number): Buffer {
  const batch = batchOf(1n, 'b')
  batch.writeInt32BE(value, at)
  return batch
}

interface Found {
  readonly records: KafkaRecord[]
  /** Of the last batch that was read. */
  readonly last: bigint | undefined
  readonly bad: UnreadableBatch | undefined
}

/** Reads all batches, up to one that cannot be read. @param aborted producer and first offset of each transaction */
async function read(
  log: Buffer | readonly Buffer[],
  aborted: readonly (readonly [bigint, bigint])[] = [],
): Promise<Found> {
  const records: KafkaRecord[] = []
  let last: bigint | undefined
  const bytes = Buffer.isBuffer(log) ? log : Buffer.concat(log)
  const transactions = aborted.map(([producerId, firstOffset]) => ({ producerId, firstOffset }))
  for (const batch of splitLog(bytes, transactions)) {
    try {
      const found = await readWhole(batch)
      if (found === 'large') for await (const part of readParts(batch)) records.push(...part.records)
      else records.push(...found.records)
      last = batch.last
    } catch (error) {
      return { records, last, bad: unreadableOf(batch, error) }
    }
  }
  return { records, last, bad: undefined }
}

async function valuesOf(...given: Parameters<typeof read>): Promise<(string | undefined)[]> {
  return (await read(...given)).records.map(({ value }) => value?.toString())
}

describe('a batch of a log', () => {
  it('gives the records that are in it', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, async (records) => {
        const packed = Buffer.concat(records.map(recordBytes))
        const lastOffsetDelta = records.at(-1)!.offsetDelta
        const found = await read(batchBytes({ count: records.length, lastOffsetDelta, packed }))
        expect(found.last).toBe(BigInt(lastOffsetDelta))
        expect(found.records.map(({ offset, key, value }) => ({ offset, key, value }))).toEqual(
          records.map(({ offsetDelta, key, value }) => ({ offset: BigInt(offsetDelta), key, value })),
        )
      }),
    )
  })

  it('of a rolled-back transaction has no records, up to the marker of its producer', async () => {
    const of = (producerId: bigint) => ({ producerId, attributes: 0x10 })
    const log = [
      batchOf(0n, 'early', of(1n)),
      batchOf(1n, 'a', of(1n)),
      batchOf(2n, 'b', of(2n)),
      batchOf(3n, 'plain', { producerId: 1n }),
      markerBytes(4n, 1n, 0),
      batchOf(5n, 'c', of(1n)),
      markerBytes(6n, 1n, 1),
      batchOf(7n, 'd', of(2n)),
    ]
    const aborted = [
      [2n, 2n],
      [1n, 1n],
    ] as const
    expect(await valuesOf(log, aborted)).toEqual(['early', 'plain', 'c'])
    expect((await read(log, aborted)).last).toBe(7n)
    // both began before what was fetched
    const later = [batchOf(9n, 'b', of(2n)), batchOf(10n, 'a', of(1n)), batchOf(11n, 'c', of(3n))]
    expect(await valuesOf(later, aborted)).toEqual(['c'])
  })

  it.each([
    ['a marker', markerBytes(1n, 1n, 1)],
    ['a marker of a kind that is not known', markerBytes(1n, 1n, 5)],
    ['what compaction left of a batch', empty({})],
    ['what compaction left of a compressed one', empty({ attributes: 4 })],
    ['what compaction left of a marker', empty({ attributes: 0x30 })],
  ])('has no records where it is %s, and is passed over', async (_, between) => {
    expect(await valuesOf([batchOf(0n, 'a'), between, batchOf(2n, 'b')])).toEqual(['a', 'b'])
    expect(await read(between)).toEqual({ records: [], last: 1n, bad: undefined })
  })

  it('is alone where nothing else is in the log', () => {
    const areAlone = (...log: readonly Buffer[]): boolean[] =>
      splitLog(Buffer.concat(log), []).map(({ ownsMemory }) => ownsMemory)
    const [first, second] = [batchOf(1n, 'a'), batchOf(2n, 'b')]
    expect(areAlone(first)).toEqual([true])
    expect(areAlone(first, second)).toEqual([false, false])
    expect(areAlone(first, second.subarray(0, 65))).toEqual([false])
  })
})

describe('what is damaged', () => {
  it.each([
    ['too few records', batchBytes({ firstOffset: 1n, count: 3, packed: one('b') }), 3n],
    ['too many records', batchBytes({ firstOffset: 1n, count: 0, packed: one('b') }), 1n],
    ['a number of records that cannot be', batchOf(1n, 'b', { count: -1 }), 1n],
    ['a marker with a key that is none', batchOf(1n, 'b', { attributes: 0x30 }), 1n],
    ['a marker that is compressed', compressed(markerBytes(1n, 1n, 0)), 1n],
    ['a marker and more', batchOf(1n, 'b', { attributes: 0x30, count: 2, lastOffsetDelta: 1 }), 2n],
  ])('is told with its offsets: %s', async (_, bad, last) => {
    const found = await read([batchOf(0n, 'a'), bad, batchOf(9n, 'c')])
    expect([found.records.length, found.last]).toEqual([1, 0n])
    expect(found.bad).toMatchObject({ codec: 'none', offsets: { first: 1n, last }, error: { reason: 'damaged' } })
  })

  it.each([
    ['its first offset is behind that of the next', batchOf(0n, 'b')],
    ['its offsets are negative', batchOf(-7n, 'b')],
    ['its offsets are none that Kafka has', batchOf(2n ** 63n - 1n, 'b')],
    ['its last offset is before its first', batchOf(1n, 'b', { lastOffsetDelta: -1 })],
  ])('is told where %s', async (_, bad) => {
    const found = await read([batchOf(0n, 'a'), bad, batchOf(9n, 'c')])
    expect([found.records.length, found.last]).toEqual([1, 0n])
    expect(found.bad).toMatchObject({ offsets: undefined, error: { reason: 'damaged' } })
  })

  it.each([
    ['of no length', changed(BATCH.length, 0), 'damaged'],
    ['of a length less than a head', changed(BATCH.length, 48), 'damaged'],
    ['of a negative length', changed(BATCH.length, -13), 'damaged'],
    ['of another format', changed(BATCH.magic, 3 << 24), 'damaged'],
    ['of no format', changed(BATCH.magic, -1), 'damaged'],
    ['of the oldest format', batchOf(0n, 'a', { magic: 0 }), 'old'],
    ['of an old format', batchOf(0n, 'a', { magic: 1 }), 'old'],
    ['of an old format, and cut', batchOf(0n, 'a', { magic: 1 }).subarray(0, 20), 'old'],
  ])('is a batch %s, when it is the first', async (_, bad, reason) => {
    expect(await valuesOf([batchOf(0n, 'a'), bad])).toEqual(['a'])
    expect(await read(bad)).toMatchObject({
      records: [],
      last: undefined,
      bad: { offsets: undefined, error: { reason } },
    })
  })

  it('is a first batch that is cut behind its header; before, nothing is there', () => {
    const whole = batchOf(0n, 'a')
    for (let size = 0; size < whole.length; size++)
      expect(splitLog(whole.subarray(0, size), []).map(({ readAs }) => readAs)).toEqual(
        size < BATCH.records ? [] : ['damaged'],
      )
  })
})

it('names a batch that reaches beyond the bytes that are there, and no other', () => {
  const whole = batchOf(7n, 'v'.repeat(1_000), { lastOffsetDelta: 4 })
  for (const size of [BATCH.records, BATCH.records + 1, whole.length - 1])
    expect(batchTooLarge(whole.subarray(0, size))).toMatchObject({ readAs: 'tooLarge', first: 7n, last: 11n })
  for (const bytes of [whole, whole.subarray(0, BATCH.records - 1), changed(BATCH.magic, -1)])
    expect(batchTooLarge(bytes)).toBeUndefined()
})
