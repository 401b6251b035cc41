// Messages whose JSON is not an object of their fields: those of Protobuf's JSON mapping, and Confluent's Decimal, which becomes a decimal
// text. A value that such a text cannot represent stays an object of its fields.
//
// protobuf-link.ts calls `ownJson` once for each message of a schema, and gets the function that writes such a message. It is given the
// places of the fields (Slot in protobuf-messages.ts) in the order of the `shape`, and how many messages they are in (`depth`). Reading a
// field moves `wire`, which need not be put back. The table of all these messages is at the end.

import { isUtf8 } from 'node:buffer'
import { decimalText } from '../json-number.ts'
import { ValueError } from '../unreadable.ts'
import {
  scalarOf,
  type MessagePlan,
  type OwnJson,
  type ProtobufMessages,
  type Slot,
  type Slots,
} from './protobuf-messages.ts'

/** A larger scale would make few bytes many digits. */
const LARGEST_SCALE = 10_000
/** The bytes of the integer 0, which a decimal without bytes is. */
const ZERO = Buffer.alloc(1)

/** The function that writes a message in a form of its own. `undefined` when it has none, also when its name is known but not its fields.
 *  @param name its full name
 *  @param shape numbers and types of its fields, in order: "1 int64,2 int32"
 *  @param find finds the plan of another message of the schema by its full name */
export function ownJson(name: string, shape: string, find: FindMessage): OwnJson | undefined {
  const known = WELL_KNOWN.get(name)
  return known?.shape === shape ? known.make(find) : undefined
}

type FindMessage = (name: string) => MessagePlan | undefined

/** Makes the writer of a message of one field, which becomes that field's value.
 *  @param absent the JSON when the field is absent: by default that of the field's own default */
function wrapper(absent?: string): OwnJson {
  return (writer, plan, [slot], depth) => {
    const field = plan.fields[0]!
    if (slot === undefined) writer.output.ascii(absent ?? scalarOf(field).zero)
    else writer.value(field, slot, depth)
  }
}

/** Makes the writer of a message of two numbers: `json` makes its JSON from their digits. */
function secondsAndNanos(json: (seconds: string, nanos: string) => string): OwnJson {
  return (writer, plan, slots) =>
    writer.output.ascii(json(digitsOf(writer, plan, slots, 0), digitsOf(writer, plan, slots, 1)))
}

/** The first second of the year 1 and the last of the year 9999, counted from 1970. */
const FIRST_SECOND = -62_135_596_800
const LAST_SECOND = 253_402_300_799
/** The longest Duration of Protobuf: 10,000 years. */
const LONGEST_SECONDS = 315_576_000_000
const LAST_NANO = 999_999_999

/** The JSON of a Timestamp: "2006-01-02T15:04:05.123Z", or an object of both numbers for a point in time that has no such text.
 *  @param seconds since 1970, in digits */
export function timestampJson(seconds: string, nanos: string): string {
  const whole = secondsInRange(seconds)
  const fraction = Number(nanos)
  if (!(whole >= FIRST_SECOND && whole <= LAST_SECOND && fraction >= 0 && fraction <= LAST_NANO))
    return secondsAndNanosJson(seconds, nanos)
  const time = new Date(whole * 1000).toISOString().slice(0, -'.000Z'.length)
  return `"${time}${fractionText(fraction)}Z"`
}

/** The JSON of a Duration: "-1.500s", or an object of both numbers when it is longer than 10,000 years, or their signs differ. */
export function durationJson(seconds: string, nanos: string): string {
  const whole = secondsInRange(seconds)
  const fraction = Number(nanos)
  const isDuration = Math.abs(whole) <= LONGEST_SECONDS && Math.abs(fraction) <= LAST_NANO && whole * fraction >= 0
  if (!isDuration) return secondsAndNanosJson(seconds, nanos)
  const sign = whole < 0 || fraction < 0 ? '-' : ''
  return `"${sign}${Math.abs(whole)}${fractionText(Math.abs(fraction))}s"`
}

/** The seconds as a number. NaN when they have too many digits to be in any range here, or to be exact. */
function secondsInRange(seconds: string): number {
  return seconds.length <= 13 ? Number(seconds) : Number.NaN
}

/** The fraction of a second: a point and three, six or nine digits; '' when it is 0. */
function fractionText(nanos: number): string {
  if (nanos === 0) return ''
  const digits = String(nanos).padStart(9, '0')
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`
  return `.${digits.endsWith('000') ? digits.slice(0, 6) : digits}`
}

function secondsAndNanosJson(seconds: string, nanos: string): string {
  return `{"seconds":${seconds},"nanos":${nanos}}`
}

/** Writes a Value of Struct: the member of its oneof that is set; null if none is. */
const dynamicValue: OwnJson = (writer, plan, slots, depth) => {
  const setMember = slots.findIndex((slot) => slot !== undefined)
  if (setMember === -1) writer.output.ascii('null')
  else writer.value(plan.fields[setMember]!, slots[setMember], depth)
}

/** Paths that a FieldMask's text, a list in lowerCamelCase with commas between, would not give back when it is read: aB, a,b, a_1. */
const NOT_MASKABLE = /^$|[A-Z,]|_(?![a-z])/

function inCamelCase(path: string): string {
  return path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

const fieldMask: OwnJson = (writer, _, [slot]) => {
  const paths = stringsIn(writer, slot)
  const isMask = !paths.some((path) => NOT_MASKABLE.test(path))
  const bytes = Buffer.from(JSON.stringify(isMask ? paths.map(inCamelCase).join() : { paths }))
  writer.output.reserve(bytes.length)
  writer.output.literal(bytes)
}

/** The places of a Decimal's fields among its slots. */
const [VALUE, PRECISION, SCALE] = [0, 1, 2]

const confluentDecimal: OwnJson = (writer, plan, slots) => {
  const { wire, output } = writer
  const scale = Number(digitsOf(writer, plan, slots, SCALE))
  const [from, to] = writer.spanAt(slots[VALUE])
  const [integer, first, last] = from === to ? [ZERO, 0, 1] : [wire.bytes, from, to]
  const text = Math.abs(scale) <= LARGEST_SCALE ? decimalText(integer, first, last, scale) : undefined
  if (text !== undefined) return output.ascii(`"${text}"`)
  output.ascii('{"value":')
  output.base64(wire.bytes, from, to)
  output.ascii(`,"precision":${digitsOf(writer, plan, slots, PRECISION)},"scale":${scale}}`)
}

/** Writes an Any: behind "@type" the members of its message, or "value" with the message's own form, or with the bytes of an unknown one. */
function anyJson(find: FindMessage): OwnJson {
  return (writer, _, [url, content], depth) => {
    const { wire, output } = writer
    const urlSpan = writer.spanAt(url)
    const contentSpan = writer.spanAt(content)
    if (urlSpan[0] === urlSpan[1] && contentSpan[0] === contentSpan[1]) return output.ascii('{}')
    output.ascii('{"@type":')
    output.string(wire.bytes, ...urlSpan)
    const type = wire.bytes.toString('utf8', ...urlSpan)
    const inner = find(type.slice(type.lastIndexOf('/') + 1))
    if (inner === undefined) {
      output.ascii(',"value":')
      output.base64(wire.bytes, ...contentSpan)
    } else if (inner.own) {
      output.ascii(',"value":')
      writer.message(inner, contentSpan, 0, contentSpan.length, depth + 1)
    } else {
      const isFirst = false // behind "@type"
      writer.members(inner, contentSpan, isFirst, depth + 1)
    }
    output.ascii('}')
  }
}

/** The digits of the number that a field holds; those of its default where it is absent. */
function digitsOf(writer: ProtobufMessages, plan: MessagePlan, slots: Slots, slot: number): string {
  return writer.asciiText(scalarOf(plan.fields[slot]!), slots[slot])
}

/** The strings of a repeated field. */
function stringsIn({ wire }: ProtobufMessages, slot: Slot): string[] {
  const spans = (slot ?? []) as readonly number[]
  return Array.from({ length: spans.length / 2 }, (_, index) => {
    wire.at = spans[2 * index]!
    wire.end = spans[2 * index + 1]!
    const to = wire.sized()
    if (!isUtf8(wire.bytes.subarray(wire.at, to))) throw new ValueError('holds a string that is not UTF-8')
    return wire.bytes.toString('utf8', wire.at, to)
  })
}

/** The messages by full name, each with its shape (see `ownJson`) and the maker of its writer. */
const WELL_KNOWN: ReadonlyMap<string, { readonly shape: string; readonly make: (find: FindMessage) => OwnJson }> =
  new Map([
    ['google.protobuf.Any', { shape: '1 string,2 bytes', make: anyJson }],
    ['google.protobuf.Timestamp', { shape: '1 int64,2 int32', make: () => secondsAndNanos(timestampJson) }],
    ['google.protobuf.Duration', { shape: '1 int64,2 int32', make: () => secondsAndNanos(durationJson) }],
    ['google.protobuf.FieldMask', { shape: '1 repeated string', make: () => fieldMask }],
    ['google.protobuf.Struct', { shape: '1 map<string,google.protobuf.Value>', make: () => wrapper('{}') }],
    ['google.protobuf.ListValue', { shape: '1 repeated google.protobuf.Value', make: () => wrapper('[]') }],
    [
      'google.protobuf.Value',
      {
        shape:
          '1 google.protobuf.NullValue,2 double,3 string,4 bool,5 google.protobuf.Struct,6 google.protobuf.ListValue',
        make: () => dynamicValue,
      },
    ],
    ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
      (type) => [`google.protobuf.${type}Value`, { shape: `1 ${type.toLowerCase()}`, make: () => wrapper() }] as const,
    ),
    ['confluent.type.Decimal', { shape: '1 bytes,2 uint32,3 int32', make: () => confluentDecimal }],
  ])
