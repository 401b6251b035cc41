import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogBatch } from './log-record.ts'
import { readLogRecords } from './read-records.ts'
import { anyRecords, recordBytes, zigzagVarint } from './testing/log.ts'
import { fineOrHarmed } from './testing/packed.ts'
import type { KafkaRecord } from '../types.ts'

/** Of an offset, from the batch's first: none is behind it. */
const LAST = 1000

const batchOf = (bytes: Buffer): LogBatch => ({
  bytes,
  firstOffset: 2n ** 40n,
  firstTimestamp: 1_700_000_000_000n,
  appendTime: undefined,
})

test('records are read as they were written', () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      const batch = batchOf(Buffer.concat(records.map(recordBytes)))
      const read = readLogRecords(batch, records.length, LAST)
      expect(
        read.map(({ offset, timestamp, key, value, headers }) => ({ offset, timestamp, key, value, headers })),
      ).toEqual(
        records.map(({ offsetDelta, timestampDelta, key, value, headers }) => ({
          offset: batch.firstOffset + BigInt(offsetDelta),
          timestamp: batch.firstTimestamp + timestampDelta,
          key,
          value,
          headers,
        })),
      )
      expect(
        readLogRecords({ ...batch, appendTime: 5n }, records.length, LAST).every(({ timestamp }) => timestamp === 5n),
      ).toBe(true)
    }),
  )
})

test('of damaged bytes every record can be looked at, or none is read', () => {
  fc.assert(
    fc.property(anyRecords, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(), (records, at, byte, cut) => {
      const whole = Buffer.concat(records.map(recordBytes))
      const bytes = Buffer.from(whole.subarray(0, whole.length - (cut % 4)))
      bytes[at % bytes.length] = byte
      fineOrHarmed(() => {
        for (const { offset, timestamp, key, value, headers } of readLogRecords(batchOf(bytes), records.length, LAST))
          expect([typeof offset, typeof timestamp, key?.length, value?.length, headers.length]).toBeDefined()
      })
    }),
    { numRuns: 2000 },
  )
})

test('a batch that says it holds more than it can is damaged, at once', () => {
  const one = recordBytes({ timestampDelta: 0n, offsetDelta: 0, key: null, value: Buffer.alloc(30), headers: [] })
  for (const count of [2, 2 ** 31 - 1]) expect(() => readLogRecords(batchOf(one), count, LAST)).toThrow(/fewer records/)
  expect(() => readLogRecords(batchOf(Buffer.concat([Buffer.of(0), one])), 1, LAST)).toThrow(/fewer records/)
})

test('a batch of more records than can be held is too large, before one of them is read', () => {
  const bytes = Buffer.alloc(7 * 2_000_001)
  expect(() => readLogRecords(batchOf(bytes), 2_000_001, 2_000_000)).toThrow(
    expect.objectContaining({ reason: 'tooLarge', message: expect.stringContaining('2000001 records') }),
  )
  expect(() => readLogRecords(batchOf(bytes), 2_000_000, 2_000_000)).toThrow(/fewer records/)
})

test('a batch that says it holds fewer than it does, or none, is damaged', () => {
  const bytes = Buffer.concat([0, 1].map(recordAt))
  for (const count of [0, 1]) expect(() => readLogRecords(batchOf(bytes), count, 1)).toThrow(/more records/)
  expect(() => readLogRecords(batchOf(bytes), -1, 1)).toThrow(/fewer records/)
  expect(readLogRecords(batchOf(bytes), 2, 1)).toHaveLength(2)
})

test.each([
  ['ascend', [0, 0]],
  ['ascend', [1, 0]],
  ['ascend', [-1, 0]],
  ['reach beyond', [0, 2]],
])('a batch is damaged whose offsets do not %s: %o', (what, deltas) => {
  expect(() => readLogRecords(batchOf(Buffer.concat(deltas.map(recordAt))), 2, 1)).toThrow(what)
})

function recordAt(offsetDelta: number): Buffer {
  return recordBytes({ timestampDelta: 0n, offsetDelta, key: null, value: Buffer.from('value'), headers: [] })
}

/** @param bytes of its headers, behind their number */
function heavy(offsetDelta: number, count: number, bytes: Buffer): Buffer {
  const body = Buffer.concat([recordAt(offsetDelta).subarray(1, -1), zigzagVarint(count), bytes])
  return Buffer.concat([zigzagVarint(body.length), body])
}
const emptyHeaders = (offsetDelta: number, count: number): Buffer => heavy(offsetDelta, count, Buffer.alloc(2 * count))

/** Bytes, all of them. */
const oneHeader = (offsetDelta: number, size: number): Buffer => {
  const value = size - 1 - zigzagVarint(size).length
  return heavy(offsetDelta, 1, Buffer.concat([Buffer.of(0), zigzagVarint(value), Buffer.alloc(value)]))
}

test('a record of 1,000 headers, or of 256 KiB of them, has them; one of more has none and says why', () => {
  const records = [emptyHeaders(0, 1000), emptyHeaders(1, 1001), oneHeader(2, 262_144), oneHeader(3, 262_145)]
  const read = readLogRecords(batchOf(Buffer.concat(records)), 4, LAST)
  expect(read.map(({ value }) => String(value))).toEqual(['value', 'value', 'value', 'value'])
  expect(read.map(({ headers }) => headers.length)).toEqual([1000, 0, 1, 0])
  expect(
    read.map((record: KafkaRecord) => record.unread).map((unread) => [unread?.why, unread?.letterHeaders?.length]),
  ).toEqual([
    [undefined, undefined],
    ['it has 1001 headers, and 1000 are the most: they are left out', 1001],
    [undefined, undefined],
    ['its headers have 262145 bytes, and 262144 are the most: they are left out', 1],
  ])
})

test('headers by the million are passed over, the records beside them read', () => {
  const many = [emptyHeaders(0, 4_000_000), recordAt(1), oneHeader(2, 8_000_000), recordAt(3)]
  const before = process.memoryUsage().heapUsed
  const read = readLogRecords(batchOf(Buffer.concat(many)), 4, LAST)
  const found = read.map(({ headers, unread }: KafkaRecord) => [headers.length, unread?.letterHeaders])
  expect(found).toEqual([0, 1, 2, 3].map(() => [0, undefined]))
  expect(read.map(({ unread }: KafkaRecord) => unread !== undefined)).toEqual([true, false, true, false])
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6)
})

test.each([
  ['more than there are bytes for', heavy(0, 2000, Buffer.alloc(3999))],
  ['a negative number', heavy(0, -1, Buffer.alloc(0))],
])('a record that says it has %s of headers is damaged', (_, bytes) => {
  expect(() => readLogRecords(batchOf(bytes), 1, LAST)).toThrow(/no possible number of headers/)
})
