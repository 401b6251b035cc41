// Cuts the unpacked bytes of a large batch into parts of whole records. Of a record, only its length is read.

import { tooLarge, damaged } from './unreadable-batch.ts'
import { VarintReader, LONGEST_INT } from './varint-reader.ts'

/** Most bytes of a part, unless a single record is larger. */
const PART_BYTES = 4 * 1024 * 1024
/** Most records of a part: each takes about a hundred bytes besides its data. */
const PART_RECORDS = 20_000

export type Chunks = Iterable<Buffer> | AsyncIterable<Buffer>

/** Fills one buffer after another with unpacked bytes, and yields the whole records in it, part by part. Only the last part may end within
 *  a record, if the batch is damaged. @param limit of the total bytes, and so of one record
 *  @param isKept whether parts are still used when the next one is requested; otherwise their memory is filled again
 *  @throws UnpackError if there are more bytes, or the length of a record is impossible; what `chunks` throws */
export async function* wholeRecords(chunks: Chunks, limit: number, isKept: boolean): AsyncGenerator<Buffer> {
  let buffer: Buffer = Buffer.allocUnsafeSlow(PART_BYTES)
  let filled = 0
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > limit) throw tooLarge(limit)
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(buffer, filled, at)
      at += copied
      filled += copied
      if (filled < buffer.length) continue
      const { end, nextBytes } = yield* cutParts(buffer)
      const begunRecord = buffer.subarray(end)
      if (nextBytes > limit) throw tooLarge(limit)
      // that record may be larger than the buffer
      const neededBytes = Math.max(PART_BYTES, nextBytes)
      filled = begunRecord.length
      if (isKept || neededBytes !== buffer.length) buffer = Buffer.allocUnsafeSlow(neededBytes)
      begunRecord.copy(buffer)
    }
  }
  const { end } = yield* cutParts(buffer.subarray(0, filled))
  if (end < filled) yield buffer.subarray(end, filled)
}

/** Yields the whole records in parts of at most PART_RECORDS.
 *  @returns the place where the last whole record ends, and the size of the record after it; 0 when its length is not there whole */
function* cutParts(bytes: Buffer): Generator<Buffer, { end: number; nextBytes: number }> {
  const reader = new VarintReader(bytes, 0)
  let from = 0
  let end = 0
  let count = 0
  // ends where even the length of the next record may be cut off
  while (end < bytes.length && (bytes.length - end >= LONGEST_INT || hasLength(bytes, end))) {
    reader.at = end
    const length = reader.int()
    if (length <= 0) throw damaged('it holds fewer records than it says')
    const next = reader.at + length
    if (next > bytes.length) {
      if (end > from) yield bytes.subarray(from, end)
      return { end, nextBytes: next - end }
    }
    end = next
    if (++count < PART_RECORDS) continue
    yield bytes.subarray(from, end)
    from = end
    count = 0
  }
  if (end > from) yield bytes.subarray(from, end)
  return { end, nextBytes: 0 }
}

/** Whether the length of a record is there whole: the last byte of a varint is below 0x80. */
function hasLength(bytes: Buffer, at: number): boolean {
  for (let next = at; next < bytes.length; next++) if (bytes[next]! < 0x80) return true
  return false
}
