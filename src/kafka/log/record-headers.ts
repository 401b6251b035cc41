// Reads the headers of a record in the log. Their number is limited, because a few compressed bytes can hold millions of them. A dead
// letter (a refused record, written to a topic of its own with headers that say why) may have a few more.

import { damaged } from './unreadable-batch.ts'
import { NULL_SIZE, type VarintReader } from './varint-reader.ts'
import type { KafkaHeader } from '../types.ts'

const MOST_HEADERS = 1000
/** Most bytes of headers as stored, names and lengths included. */
const MOST_HEADER_BYTES = 256 * 1024
/** The most of a dead letter, which adds its own headers to those of its record (dead-letters/dead-letter.ts). */
const MOST_LETTER_HEADERS = MOST_HEADERS + 16
const MOST_LETTER_BYTES = MOST_HEADER_BYTES + 16 * 1024
/** The smallest header: two lengths. */
const LEAST_BYTES = 2

export const NO_HEADERS: readonly KafkaHeader[] = []

/** Limits how many headers are read. @param bytes total size of the headers
 *  @returns why they are not read, a clause about the record; `undefined` when they are read */
export function tooManyHeaders(count: number, bytes: number): string | undefined {
  if (count > MOST_HEADERS) return `it has ${count} headers, and ${MOST_HEADERS} are the most: they are left out`
  if (bytes > MOST_HEADER_BYTES)
    return `its headers have ${bytes} bytes, and ${MOST_HEADER_BYTES} are the most: they are left out`
  return undefined
}

/** Whether a dead letter may have these headers: the most that a record may have, and its own. */
export function fitsLetter(count: number, bytes: number): boolean {
  return count <= MOST_LETTER_HEADERS && bytes <= MOST_LETTER_BYTES
}

/** Checks headers, and moves the reader from behind their number to behind them. More than even a dead letter may have are never read, so
 *  only their number is checked. @param bytes total size of the headers @throws UnpackError if they are malformed */
export function skipHeaders(reader: VarintReader, count: number, bytes: number): void {
  if (count < 0 || count * LEAST_BYTES > bytes) throw damaged('a record has no possible number of headers')
  if (!fitsLetter(count, bytes)) {
    reader.at += bytes
    return
  }
  for (let left = count; left > 0; left--) {
    reader.skip(reader.int())
    const size = reader.int()
    if (size !== NULL_SIZE) reader.skip(size)
  }
}

/** Reads headers that `skipHeaders` has checked. Values are views. @param reader stands at the number of headers */
export function readHeaders(reader: VarintReader): readonly KafkaHeader[] {
  const count = reader.int()
  if (count === 0) return NO_HEADERS
  const headers: KafkaHeader[] = []
  for (let left = count; left > 0; left--) {
    const name = reader.bytesOf(reader.int())
    const size = reader.int()
    headers.push([name.toString('utf8'), size === NULL_SIZE ? null : reader.bytesOf(size)])
  }
  return headers
}
