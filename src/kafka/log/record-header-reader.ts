// The headers of a record, behind its value (record format v2). Knows no record.

import type { KafkaHeader } from '../types.ts'
import { damaged } from './unpack-error.ts'
import type { VarintReader } from './varint-reader.ts'

/** In place of a length: no value. */
export const NULL_SIZE = -1
const NONE: readonly KafkaHeader[] = []

/** In their order, values as views. @throws UnpackError where they are not what they must be */
export function readHeaders(reader: VarintReader): readonly KafkaHeader[] {
  const count = reader.int()
  if (count === 0) return NONE
  if (count < 0) throw damaged('a record has no possible number of headers')
  const headers: KafkaHeader[] = []
  for (let left = count; left > 0; left--) {
    const name = reader.bytesOf(reader.int())
    const size = reader.int()
    headers.push([name.toString('utf8'), size === NULL_SIZE ? null : reader.bytesOf(size)])
  }
  return headers
}
