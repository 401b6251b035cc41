// How fast values of a schema registry become JSON bytes: one record in Avro and the same in Protobuf, decoded by this checkout
// and, in turn, by that of another commit: npm run bench -- decode ../other-checkout

import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import avsc from 'avsc'
import protobuf from 'protobufjs'
import type { MakeDecoder, SchemaType } from '../src/registry/types.ts'

const ROUNDS = 15
const MS = 200
const RECORDS = 64

const AVRO = {
  type: 'record',
  name: 'Order',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'customer', type: 'string' },
    { name: 'email', type: ['null', 'string'] },
    { name: 'created', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'total', type: 'double' },
    { name: 'paid', type: 'boolean' },
    { name: 'state', type: { type: 'enum', name: 'State', symbols: ['OPEN', 'SENT', 'DONE'] } },
    { name: 'note', type: 'string' },
    {
      name: 'lines',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'Line',
          fields: [
            { name: 'sku', type: 'string' },
            { name: 'count', type: 'int' },
            { name: 'price', type: 'double' },
          ],
        },
      },
    },
  ],
} as const

const PROTOBUF = `syntax = "proto3";
message Order { int64 id = 1; string customer = 2; string email = 3; int64 created = 4; double total = 5; bool paid = 6;
  State state = 7; string note = 8; repeated Line lines = 9; }
message Line { string sku = 1; int32 count = 2; double price = 3; }
enum State { OPEN = 0; SENT = 1; DONE = 2; }`

/** Values as a serialiser writes them, without the id in front; Protobuf's with the index of the first message. */
function written(type: SchemaType): Buffer[] {
  const avro = avsc.Type.forSchema(AVRO as unknown as avsc.Schema)
  const message = protobuf.parse(PROTOBUF).root.lookupType('Order')
  return Array.from({ length: RECORDS }, (_, index) => {
    const lines = Array.from({ length: 3 }, (_, at) => ({
      sku: `sku-${index}-${at}`,
      count: at + 1,
      price: at * 12.75,
    }))
    const order = {
      id: 1_000_000 + index * 977,
      customer: `Zoë Größe ${index}`,
      email: `user${index}@example.com`,
      created: 1_730_000_000_000 + index * 61_003,
      total: index * 38.25,
      paid: index % 2 === 0,
      note: 'left at the door; '.repeat(6),
      lines,
    }
    if (type === 'AVRO') return avro.toBuffer({ ...order, state: 'SENT' })
    return Buffer.concat([Buffer.of(0), message.encode({ ...order, state: 1 }).finish()])
  })
}

/** Decodes all values once.
 *  @returns bytes of JSON */
type Variant = () => number

async function variantOf(checkout: string, type: SchemaType): Promise<Variant> {
  const name = type.toLowerCase()
  const url = pathToFileURL(join(resolve(checkout), `src/registry/${name}/${name}-decoder.ts`))
  const made = (await import(url.href)) as Readonly<Record<string, MakeDecoder>>
  const text = type === 'AVRO' ? JSON.stringify(AVRO) : PROTOBUF
  const decoder = made[`${name}Decoder`]!({ type, text, references: [] })
  if ('problem' in decoder) throw new Error(decoder.problem)
  const values = written(type)
  return () => {
    let size = 0
    for (const value of values) {
      const decoded = decoder.decode(value, 0, undefined)
      if ('problem' in decoded) throw new Error(decoded.problem)
      // before decoders gave bytes, their text became bytes right behind them
      const json: unknown = decoded.json
      size += typeof json === 'string' ? Buffer.from(json).length : decoded.json.length
    }
    return size
  }
}

/** Values a second of CPU. */
function measure(variant: Variant): number {
  const began = process.cpuUsage()
  let values = 0
  for (;;) {
    for (let times = 0; times < 20; times++) variant()
    values += 20 * RECORDS
    const { user, system } = process.cpuUsage(began)
    if (user + system > MS * 1000) return (values / (user + system)) * 1e6
  }
}

const [, , other] = process.argv
const checkouts = [join(import.meta.dirname, '..'), ...(other === undefined ? [] : [other])]
for (const type of ['AVRO', 'PROTOBUF'] as const) {
  const variants = await Promise.all(checkouts.map((checkout) => variantOf(checkout, type)))
  const best = checkouts.map(() => 0)
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, variant] of variants.entries()) best[index] = Math.max(best[index]!, measure(variant))
  const [own, theirs] = best.map((rate) => Math.round(rate))
  const ratio =
    theirs === undefined ? '' : `, other checkout ${theirs} (${(own! / theirs).toFixed(2)} times as many here)`
  process.stdout.write(
    `${type}: ${own} values a second of CPU${ratio}, ${variants[0]!() / RECORDS} bytes of JSON each\n`,
  )
}
