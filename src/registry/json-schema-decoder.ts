// Reads a value whose schema is a JSON Schema: the payload is JSON already. It is not validated against the schema: its writer
// did that, and a table takes any fields.

import { isUtf8 } from 'node:buffer'
import { parseObject } from '../json/is-object.ts'
import { Scanner } from '../json/scanner.ts'
import { afterBom, wordAt } from '../json/json-faults.ts'
import type { Decoded, MakeDecoder } from './types.ts'

/** The text stays as it is, white space included; a byte order mark is removed. */
export const makeJsonSchemaDecoder: MakeDecoder = ({ text }) => {
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

/** The title of a JSON Schema. `undefined` when it has none, or is no schema, which does not matter here. */
function titleOf(text: string): string | undefined {
  const title = parseObject(text)?.['title']
  return typeof title === 'string' ? title : undefined
}

function notJson(bytes: Buffer, from: number, failedAt: number): string {
  const { length } = bytes
  const of = `${length - from} behind the id of its schema`
  const place = failedAt < length ? `it breaks at byte ${failedAt - from + 1} of the ${of}` : `it stops after the ${of}`
  return `is not JSON: ${place}${wordAt(bytes, from, failedAt)}`
}
