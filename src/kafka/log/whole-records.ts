// The records of a large batch in parts: whole ones, some bytes at a time, however their bytes come.

import { damaged, tooLarge } from './unreadable-batch.ts'
import { LONGEST_INT, VarintReader } from './varint-reader.ts'

/** Of a part, unless one record has more. */
const PART_BYTES = 4 * 1024 * 1024
/** Each takes a hundred bytes beside its own. */
const PART_RECORDS = 20_000

export type Chunks = Iterable<Buffer> | AsyncIterable<Buffer>

/** @param limit bytes of all together, and so of one record
 *  @param isKept whether parts are still looked at when the next is asked for
 *  @returns whole records one after another; the last part may end within one
 *  @throws UnpackError where there are more bytes, or a record has no possible length; what `chunks` throws */
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
      const { end, more } = yield* parts(buffer)
      const rest = buffer.subarray(end)
      // its first record may be longer than all there is room for
      if (more > limit) throw tooLarge(limit)
      const room = Math.max(PART_BYTES, more)
      buffer = isKept || room !== buffer.length ? grown(rest, room) : moved(buffer, rest)
      filled = rest.length
    }
  }
  const { end } = yield* parts(buffer.subarray(0, filled))
  if (end < filled) yield buffer.subarray(end, filled)
}

/** @returns where the last whole record ends, and how many bytes the one behind it has */
function* parts(bytes: Buffer): Generator<Buffer, { end: number; more: number }> {
  const reader = new VarintReader(bytes, 0)
  let from = 0
  let end = 0
  let count = 0
  // a length may be cut off too
  while (end < bytes.length && (bytes.length - end >= LONGEST_INT || isWhole(bytes, end))) {
    reader.at = end
    const length = reader.int()
    if (length <= 0) throw damaged('it holds fewer records than it says')
    const next = reader.at + length
    if (next > bytes.length) {
      if (end > from) yield bytes.subarray(from, end)
      return { end, more: next - end }
    }
    end = next
    if (++count < PART_RECORDS) continue
    yield bytes.subarray(from, end)
    from = end
    count = 0
  }
  if (end > from) yield bytes.subarray(from, end)
  return { end, more: 0 }
}

function isWhole(bytes: Buffer, at: number): boolean {
  for (let next = at; next < bytes.length; next++) if (bytes[next]! < 0x80) return true
  return false
}

function grown(rest: Buffer, room: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(room)
  rest.copy(buffer)
  return buffer
}

function moved(buffer: Buffer, rest: Buffer): Buffer {
  rest.copy(buffer)
  return buffer
}
