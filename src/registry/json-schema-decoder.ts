// Decodes values whose schema is a JSON Schema: they are JSON. Their writer validated them by the schema, and a table takes any fields.

import { isUtf8 } from 'node:buffer'
import { parseObject } from '../json/is-object.ts'
import { Scanner } from '../json/scanner.ts'
import { afterBom, wordAt } from '../json/json-faults.ts'
import type { Decoded, MakeDecoder } from './types.ts'

/** Makes a decoder that returns the payload as it is, white space included, but without a byte order mark. */
export const makeJsonSchemaDecoder: MakeDecoder = ({ text }) => {
  // it only skips values, so it needs no room for members
  const scanner = new Scanner(1)
  const name = titleOf(text)
  const decode = (bytes: Buffer, from: number): Decoded => {
    const start = afterBom(bytes, from)
    if (!isUtf8(bytes.subarray(start))) return { problem: 'is not valid UTF-8' }
    scanner.start(bytes, start, bytes.length)
    if (scanner.at === bytes.length) return { problem: 'holds nothing behind the id of its schema' }
    if (!scanner.skip() || !scanner.finish()) return { problem: notJson(bytes, from, scanner.failedAt) }
    return { json: bytes.subarray(start), name }
  }
  return { type: 'JSON', decode }
}

/** The title of a JSON Schema. `undefined` when it has none, or the text is no schema, for which values can be read all the same. */
function titleOf(text: string): string | undefined {
  const title = parseObject(text)?.['title']
  return typeof title === 'string' ? title : undefined
}

/** Says at which byte of the payload it stops being JSON, and whether a NaN or Infinity stands there (`wordAt`). */
function notJson(bytes: Buffer, from: number, failedAt: number): string {
  const { length } = bytes
  const size = length - from
  const place = failedAt < length ? `breaks at byte ${failedAt - from + 1} of the ${size}` : `stops after the ${size}`
  return `is not JSON: it ${place} behind the id of its schema${wordAt(bytes, from, failedAt)}`
}
