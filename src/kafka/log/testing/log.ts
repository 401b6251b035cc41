// Batches and fetch answers for tests, as a broker writes them (record format v2; Fetch, version 11).

import * as fc from 'fast-check'
import { BATCH, UNCOUNTED } from '../record-batch.ts'

export interface TestRecord {
  readonly timestampDelta: bigint
  readonly offsetDelta: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [name: string, value: Buffer | null])[]
}

export interface TestBatch {
  readonly firstOffset?: bigint
  readonly firstTimestamp?: bigint
  readonly maxTimestamp?: bigint
  readonly attributes?: number
  readonly producerId?: bigint
  readonly magic?: number
  readonly lastOffsetDelta?: number
  readonly count: number
  readonly packed: Buffer
}

export interface TestLog {
  readonly aborted?: readonly (readonly [producerId: bigint, firstOffset: bigint])[]
  readonly batches: Buffer
}

export function zigzagVarint(value: number | bigint): Buffer {
  const wide = BigInt(value)
  let raw = BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n))
  const bytes: number[] = []
  for (; raw >= 0x80n; raw >>= 7n) bytes.push(Number(raw & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(raw)])
}

export function recordBytes({ timestampDelta, offsetDelta, key, value, headers }: TestRecord): Buffer {
  const parts = [
    Buffer.of(0),
    zigzagVarint(timestampDelta),
    zigzagVarint(offsetDelta),
    sized(key),
    sized(value),
    zigzagVarint(headers.length),
  ]
  for (const [name, own] of headers) parts.push(sized(Buffer.from(name)), sized(own))
  const record = Buffer.concat(parts)
  return Buffer.concat([zigzagVarint(record.length), record])
}

export function batchBytes(batch: TestBatch): Buffer {
  const { firstOffset = 0n, firstTimestamp = 0n, attributes = 0, producerId = -1n, magic = 2, count, packed } = batch
  const head = Buffer.alloc(BATCH.records)
  head.writeBigInt64BE(firstOffset, BATCH.firstOffset)
  head.writeInt32BE(BATCH.records - UNCOUNTED + packed.length, BATCH.length)
  head.writeInt8(magic, BATCH.magic)
  head.writeInt16BE(attributes, BATCH.attributes)
  head.writeInt32BE(batch.lastOffsetDelta ?? Math.max(0, count - 1), BATCH.lastOffsetDelta)
  head.writeBigInt64BE(firstTimestamp, BATCH.firstTimestamp)
  head.writeBigInt64BE(batch.maxTimestamp ?? firstTimestamp, BATCH.maxTimestamp)
  head.writeBigInt64BE(producerId, BATCH.producerId)
  head.writeInt32BE(count, BATCH.count)
  return Buffer.concat([head, packed])
}

/** A batch of one record. */
export function batchOf(first: bigint, value: string, more: Partial<TestBatch> = {}): Buffer {
  const record = { timestampDelta: 0n, offsetDelta: 0, key: null, value: Buffer.from(value), headers: [] }
  return batchBytes({ firstOffset: first, count: 1, packed: recordBytes(record), ...more })
}

/** @param type 0: an abort marker, 1: a commit's */
export function markerBytes(firstOffset: bigint, producerId: bigint, type: number): Buffer {
  const [timestampDelta, offsetDelta, headers] = [0n, 0, []] as const
  const packed = recordBytes({ timestampDelta, offsetDelta, key: Buffer.from([0, 0, 0, type]), value: null, headers })
  return batchBytes({ firstOffset, producerId, attributes: 0x30, count: 1, packed })
}

/** An answer with size and correlation id.
 *  @param errors of its partitions, in their order; 0 for the rest */
export function answerBytes(
  correlationId: number,
  topics: readonly (readonly TestLog[])[],
  errors: readonly number[] = [],
): Buffer {
  const left = [...errors]
  const parts = [int32(correlationId), int32(0), Buffer.alloc(2), int32(0), int32(topics.length)]
  for (const [index, logs] of topics.entries()) {
    const name = Buffer.from(`topic-${index}`)
    parts.push(int32(name.length).subarray(2), name, int32(logs.length))
    for (const [partition, { aborted = [], batches }] of logs.entries()) {
      parts.push(int32(partition), int32(left.shift() ?? 0).subarray(2), Buffer.alloc(24), int32(aborted.length))
      for (const [producerId, firstOffset] of aborted) parts.push(int64(producerId), int64(firstOffset))
      parts.push(int32(-1), int32(batches.length), batches)
    }
  }
  const body = Buffer.concat(parts)
  return Buffer.concat([int32(body.length), body])
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const maybeBytes = fc.option(bytes, { nil: null })

/** As brokers take them: offsets count up, with gaps where compaction was. */
export const anyRecords: fc.Arbitrary<TestRecord[]> = fc
  .array(
    fc.record({
      timestampDelta: fc.oneof(fc.bigInt(-5n, 100_000n), fc.bigInt(-(2n ** 62n), 2n ** 62n)),
      offsetDelta: fc.integer({ min: 1, max: 3 }),
      key: maybeBytes,
      value: maybeBytes,
      headers: fc.array(fc.tuple(fc.string({ maxLength: 6 }), maybeBytes), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((records) => {
    let offsetDelta = -1
    return records.map((record) => ({ ...record, offsetDelta: (offsetDelta += record.offsetDelta) }))
  })

function sized(part: Buffer | null): Buffer {
  return part === null ? zigzagVarint(-1) : Buffer.concat([zigzagVarint(part.length), part])
}

export function int32(value: number): Buffer {
  const four = Buffer.alloc(4)
  four.writeInt32BE(value)
  return four
}

export function int64(value: bigint): Buffer {
  const eight = Buffer.alloc(8)
  eight.writeBigInt64BE(value)
  return eight
}
