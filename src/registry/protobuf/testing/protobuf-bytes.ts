// Protobuf's wire format written by hand, for tests: also what no serialiser would write.

import { protobufDecoder } from '../protobuf-decoder.ts'
import type { SchemaReference, ValueDecoder } from '../../types.ts'

export function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

/** A field of wire type 0. */
export function number(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)])
}

/** A field of wire type 2. */
export function sized(field: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content])
}

/** A field of wire type 3, and the 4 that ends it. */
export function group(field: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([varint(field * 8 + 3), ...parts, varint(field * 8 + 4)])
}

/** @throws when nothing can be read by it */
export function decoderOf(text: string, references: readonly SchemaReference[] = []): ValueDecoder {
  const decoder = protobufDecoder({ type: 'PROTOBUF', text, references })
  if ('problem' in decoder) throw new Error(decoder.problem)
  return decoder
}

export function reference(name: string, text: string, references: readonly SchemaReference[] = []): SchemaReference {
  return { name, schema: { type: 'PROTOBUF', text, references } }
}

/** JSON of a value of a schema's first message, or the problem. */
export function read(schema: string | ValueDecoder, ...parts: readonly Buffer[]): string {
  const decoder = typeof schema === 'string' ? decoderOf(schema) : schema
  // the value lies between other bytes' memory
  const bytes = Buffer.concat([Buffer.alloc(5, 255), Buffer.from([0]), ...parts, Buffer.alloc(9)])
  const decoded = decoder.decode(bytes.subarray(0, -9), 5, undefined)
  return 'json' in decoded ? decoded.json.toString() : decoded.problem
}

/** Why nothing can be read by a schema. */
export function schemaProblem(text: string, references: readonly SchemaReference[] = []): string | undefined {
  const decoder = protobufDecoder({ type: 'PROTOBUF', text, references })
  return 'problem' in decoder ? decoder.problem : undefined
}
