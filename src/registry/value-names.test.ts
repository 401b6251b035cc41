// How decoded values are named: what a route by schema goes by.

import { expect, it } from 'vitest'
import { avroDecoder } from './avro/avro-decoder.ts'
import { makeJsonSchemaDecoder } from './json-schema-decoder.ts'
import { protobufDecoder } from './protobuf/protobuf-decoder.ts'
import type { MakeDecoder, SchemaType } from './types.ts'

const record = (name: string, namespace?: string) => ({
  type: 'record',
  name,
  namespace,
  fields: [{ name: 'id', type: 'int' }],
})
const ORDER = record('Order', 'shop')
const PROTO = `syntax = "proto3"; package shop.v1;
  message Order { int32 id = 1; message Line { int32 id = 1; } }`

it.each<[SchemaType, MakeDecoder, unknown, readonly number[], string | undefined]>([
  ['AVRO', avroDecoder, ORDER, [2], 'shop.Order'],
  ['AVRO', avroDecoder, record('Order'), [2], 'Order'],
  ['AVRO', avroDecoder, 'string', [0], undefined],
  ['AVRO', avroDecoder, [ORDER, record('Refund', 'shop')], [2, 2], 'shop.Refund'],
  ['AVRO', avroDecoder, ['null', ORDER], [0], undefined],
  ['AVRO', avroDecoder, ['null', ORDER], [2, 2], 'shop.Order'],
  ['PROTOBUF', protobufDecoder, PROTO, [0, 8, 1], 'shop.v1.Order'],
  ['PROTOBUF', protobufDecoder, PROTO, [4, 0, 0, 8, 1], 'shop.v1.Order.Line'],
  ['JSON', makeJsonSchemaDecoder, { title: 'Order', type: 'object' }, [123, 125], 'Order'],
  ['JSON', makeJsonSchemaDecoder, { title: 1 }, [123, 125], undefined],
  ['JSON', makeJsonSchemaDecoder, 'no schema', [123, 125], undefined],
])('%s: %#', (type, make, schema, bytes, name) => {
  const text = typeof schema === 'string' && type !== 'AVRO' ? schema : JSON.stringify(schema)
  const made = make({ type, text, references: [] })
  const decoded = 'problem' in made ? made : made.decode(Buffer.from(bytes), 0, undefined)
  expect('problem' in decoded ? decoded : decoded.name).toEqual(name)
})
