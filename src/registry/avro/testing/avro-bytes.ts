// For tests: Avro's binary encoding by hand, and one decoder a schema.

import { avroDecoder } from '../avro-decoder.ts'
import type { SchemaReference } from '../../types.ts'
import { asText, type DecodedText } from '../../testing/as-text.ts'

/** An int or a long. */
export function long(value: bigint | number): Buffer {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n))
  const bytes: number[] = []
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

/** Bytes or a string, with their length. */
export function sized(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([long(bytes.length), bytes])
}

export function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

export function joined(...parts: readonly (Uint8Array | number)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)))
}

/** What a value becomes; that a schema is no schema is an error. */
export function decode(schema: unknown, bytes: Uint8Array, references: readonly SchemaReference[] = []): DecodedText {
  const decoder = avroDecoder({ type: 'AVRO', text: JSON.stringify(schema), references })
  if ('problem' in decoder) throw new Error(`its schema ${decoder.problem}`)
  // the payload lies between other bytes' memory
  const around = joined(Buffer.alloc(5, 255), bytes, Buffer.alloc(9, 0))
  return asText(decoder.decode(around.subarray(0, 5 + bytes.length), 5, undefined))
}

/** The same in a record with one field `f`. */
export function decodeField(type: unknown, bytes: Uint8Array): DecodedText {
  const decoded = decode({ type: 'record', name: 'R', fields: [{ name: 'f', type }] }, bytes)
  return 'json' in decoded ? { json: decoded.json.slice('{"f":'.length, -1) } : decoded
}
