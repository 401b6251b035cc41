// Types whose JSON is not an object of their fields: those of Protobuf's JSON mapping, and Confluent's Decimal as a decimal
// text. A value that such a text cannot represent stays an object of its fields.

import { isUtf8 } from 'node:buffer'
import { decimalText } from '../json-number.ts'
import { ValueError } from '../unreadable.ts'
import type { MessagePlan, OwnJson, ProtobufMessages, Slot, Slots } from './protobuf-messages.ts'
import { timestampJson, durationJson } from './protobuf-time.ts'

/** A larger scale would make few bytes many digits. */
const LARGEST_SCALE = 10_000

/** @param name the full name
 *  @param shape its fields in order, number and type: what has only the name of one is an ordinary message
 *  @param find a message of the schema */
export function ownJson(
  name: string,
  shape: string,
  find: (name: string) => MessagePlan | undefined,
): OwnJson | undefined {
  const known = WELL_KNOWN.get(name)
  if (known?.shape !== shape) return undefined
  return name === ANY ? anyJson(find) : known.own
}

const ANY = 'google.protobuf.Any'

/** The value of its one field.
 *  @param absent JSON where that is not set; its default when left out */
function wrapper(absent?: string): OwnJson {
  return (messages, plan, [slot], depth) => {
    const field = plan.fields[0]!
    if (slot === undefined) messages.output.ascii(absent ?? field.scalar!.zero)
    else messages.value(field, slot, depth)
  }
}

const timestamp: OwnJson = (messages, plan, slots) => {
  messages.output.ascii(timestampJson(number(messages, plan, slots, 0), number(messages, plan, slots, 1)))
}

const duration: OwnJson = (messages, plan, slots) => {
  messages.output.ascii(durationJson(number(messages, plan, slots, 0), number(messages, plan, slots, 1)))
}

/** The member that is set; null if none is. */
const value: OwnJson = (messages, plan, slots, depth) => {
  const set = slots.findIndex((slot) => slot !== undefined)
  if (set === -1) messages.output.ascii('null')
  else messages.value(plan.fields[set]!, slots[set], depth)
}

/** Paths that do not survive the way to lowerCamelCase and back, in a list separated by commas. */
const NOT_MASKABLE = /^$|[A-Z,]|_(?![a-z])/

const fieldMask: OwnJson = (messages, _, [slot]) => {
  const paths = texts(messages, slot)
  const json = !paths.some((path) => NOT_MASKABLE.test(path))
    ? JSON.stringify(
        paths.map((path) => path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).join(),
      )
    : JSON.stringify({ paths })
  const bytes = Buffer.from(json)
  messages.output.reserve(bytes.length)
  messages.output.literal(bytes)
}

const decimal: OwnJson = (messages, plan, slots) => {
  const { wire, output } = messages
  const scale = Number(number(messages, plan, slots, 2))
  const [from, to] = span(messages, slots[0])
  const [digits, first, last] = from === to ? [ZERO, 0, 1] : [wire.bytes, from, to]
  const text = Math.abs(scale) <= LARGEST_SCALE ? decimalText(digits, first, last, scale) : undefined
  if (text !== undefined) return output.ascii(`"${text}"`)
  output.ascii('{"value":')
  output.base64(wire.bytes, from, to)
  output.ascii(`,"precision":${number(messages, plan, slots, 1)},"scale":${scale}}`)
}

const ZERO = Buffer.alloc(1)

function anyJson(find: (name: string) => MessagePlan | undefined): OwnJson {
  return (messages, _, [url, content], depth) => {
    const { wire, output } = messages
    const [from, to] = span(messages, url)
    const spans = span(messages, content)
    if (from === to && spans[0] === spans[1]) return output.ascii('{}')
    output.ascii('{"@type":')
    output.string(wire.bytes, from, to)
    const type = wire.bytes.toString('utf8', from, to)
    const inner = find(type.slice(type.lastIndexOf('/') + 1))
    if (inner === undefined) {
      output.ascii(',"value":')
      output.base64(wire.bytes, spans[0], spans[1])
    } else if (inner.own) {
      output.ascii(',"value":')
      messages.message(inner, spans, 0, 2, depth + 1)
    } else {
      messages.members(inner, spans, false, depth + 1)
    }
    output.ascii('}')
  }
}

/** Digits of a field that is a number. */
function number(messages: ProtobufMessages, plan: MessagePlan, slots: Slots, slot: number): string {
  const at = slots[slot]
  if (at === undefined) return '0'
  messages.wire.back(at as number)
  return plan.fields[slot]!.scalar!.text!(messages.wire)
}

/** Where the text or bytes of a field lie. */
function span({ wire }: ProtobufMessages, at: Slot): [from: number, to: number] {
  if (at === undefined) return [0, 0]
  wire.back(at as number)
  const to = wire.sized()
  return [wire.at, to]
}

/** A list of strings. */
function texts({ wire }: ProtobufMessages, slot: Slot): string[] {
  const spans = (slot ?? []) as readonly number[]
  return Array.from({ length: spans.length / 2 }, (_, index) => {
    wire.at = spans[2 * index]!
    wire.end = spans[2 * index + 1]!
    const to = wire.sized()
    if (!isUtf8(wire.bytes.subarray(wire.at, to))) throw new ValueError('holds a string that is not UTF-8')
    return wire.bytes.toString('utf8', wire.at, to)
  })
}

interface WellKnown {
  readonly shape: string
  /** Its own JSON. `undefined` when it is Any, which has to find other types. */
  readonly own: OwnJson | undefined
}

const WELL_KNOWN: ReadonlyMap<string, WellKnown> = new Map([
  [ANY, { shape: '1 string,2 bytes', own: undefined }],
  ['google.protobuf.Timestamp', { shape: '1 int64,2 int32', own: timestamp }],
  ['google.protobuf.Duration', { shape: '1 int64,2 int32', own: duration }],
  ['google.protobuf.FieldMask', { shape: '1 repeated string', own: fieldMask }],
  ['google.protobuf.Struct', { shape: '1 map<string,google.protobuf.Value>', own: wrapper('{}') }],
  ['google.protobuf.ListValue', { shape: '1 repeated google.protobuf.Value', own: wrapper('[]') }],
  [
    'google.protobuf.Value',
    {
      shape:
        '1 google.protobuf.NullValue,2 double,3 string,4 bool,5 google.protobuf.Struct,6 google.protobuf.ListValue',
      own: value,
    },
  ],
  ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (type) => [`google.protobuf.${type}Value`, { shape: `1 ${type.toLowerCase()}`, own: wrapper() }] as const,
  ),
  ['confluent.type.Decimal', { shape: '1 bytes,2 uint32,3 int32', own: decimal }],
])
