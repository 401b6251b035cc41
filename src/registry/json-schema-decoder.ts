// Reads a value whose schema is a JSON Schema: the payload is JSON already. It is not held against the schema: its writer
// did that, and a table takes what comes.

import { isUtf8 } from 'node:buffer'
import { Scanner } from '../json/scanner.ts'
import type { Decoded, MakeDecoder, ValueDecoder } from './types.ts'

const NOT_A_NUMBER = /^-?(?:NaN|Infinity)/

/** What it reads stays as it is, white space too; a byte order mark goes. */
export const makeJsonSchemaDecoder: MakeDecoder = () => new JsonSchemaDecoder()

class JsonSchemaDecoder implements ValueDecoder {
  readonly type = 'JSON'
  readonly #scanner = new Scanner(1)

  decode(bytes: Buffer, from: number): Decoded {
    const start = afterBom(bytes, from)
    if (!isUtf8(bytes.subarray(start))) return { problem: 'is not valid UTF-8' }
    const scanner = this.#scanner
    scanner.start(bytes, start, bytes.length)
    if (scanner.at === bytes.length) return { problem: 'holds nothing behind the id of its schema' }
    if (!scanner.skip() || !scanner.finish()) return { problem: notJson(bytes, from, scanner.failedAt) }
    return { json: bytes.subarray(start) }
  }
}

function afterBom(bytes: Buffer, from: number): number {
  return bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from
}

function notJson(bytes: Buffer, from: number, failedAt: number): string {
  const { length } = bytes
  const of = `${length - from} behind the id of its schema`
  const place = failedAt < length ? `it breaks at byte ${failedAt - from + 1} of the ${of}` : `it stops after the ${of}`
  // the scanner may have gone a letter into the word
  const around = bytes.toString('latin1', Math.max(from, failedAt - 1), failedAt + 10)
  const word = NOT_A_NUMBER.exec(around) ?? NOT_A_NUMBER.exec(around.slice(1))
  return `is not JSON: ${place}${word ? `, at ${word[0]}, which is no number of JSON` : ''}`
}
