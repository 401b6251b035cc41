// Avro's logical types: what numbers and bytes become in JSON, exactly. A logical type that is unknown, or does not fit its type, is
// ignored, as the specification demands; Kafka Connect's own (connect.name) are no logical types. A time of day beyond 24 hours stays a
// number, so that nothing is wrapped, cut or rounded. The logical type of a string, such as uuid, changes nothing of it.

import { decimalText } from '../json-number.ts'
import type { JsonOutput } from '../json-output.ts'
import { ValueError } from '../unreadable.ts'
import { AvroInput } from './avro-input.ts'
import type { Definition } from './avro-schema.ts'
import { dateText, timestampText, timeText } from './avro-time.ts'

type Read = (input: AvroInput, output: JsonOutput) => void
/** Writes the JSON of bytes[from, to). */
type Write = (output: JsonOutput, bytes: Buffer, from: number, to: number) => void

const MOST_INT = 2 ** 31 - 1

const PLAIN_NUMBERS: Readonly<Record<'int' | 'long', Read>> = {
  int: (input, output) => output.ascii(String(input.readInt())),
  long: (input, output) => output.ascii(String(input.readLong())),
}

/** Readers by type and logical type. A number says how many digits of a second a unit is: 3 for milliseconds. */
const LOGICAL_NUMBERS = new Map<string, Read>([
  ['int date', (input, output) => output.ascii(`"${dateText(input.readInt())}"`)],
  ['int time-millis', (input, output) => writeTime(output, input.readInt(), 3)],
  ['long time-micros', (input, output) => writeTime(output, input.readLong(), 6)],
  ['long timestamp-millis', timestampReader(3, 'Z')],
  ['long timestamp-micros', timestampReader(6, 'Z')],
  ['long timestamp-nanos', timestampReader(9, 'Z')],
  ['long local-timestamp-millis', timestampReader(3, '')],
  ['long local-timestamp-micros', timestampReader(6, '')],
  ['long local-timestamp-nanos', timestampReader(9, '')],
])

/** The reader of a number with this definition. */
export function logicalNumber(type: 'int' | 'long', definition: Definition): Read {
  const { logicalType: name } = definition
  return (typeof name === 'string' ? LOGICAL_NUMBERS.get(`${type} ${name}`) : undefined) ?? PLAIN_NUMBERS[type]
}

/** The writer of bytes, or of a fixed, with this definition.
 *  @param size how many bytes the fixed has; `undefined` for bytes */
export function logicalBytes(definition: Definition, size?: number): Write {
  const name = definition['logicalType']
  if (name === 'decimal') return decimalWriter(definition, size)
  if (size === undefined) return name === 'big-decimal' ? writeBigDecimal : writeBase64
  if (name === 'uuid' && size === 16) return writeUuid
  return name === 'duration' && size === 12 ? writeDuration : writeBase64
}

/** Makes the reader of a point in time, in units of 10^-digits seconds. Its text ends with `zone`. */
function timestampReader(digits: number, zone: string): Read {
  return (input, output) => output.ascii(`"${timestampText(input.readLong(), digits)}${zone}"`)
}

/** Writes a time of day. A bigint is not one, as a number holds all units of a day exactly. */
function writeTime(output: JsonOutput, units: number | bigint, digits: number): void {
  const text = typeof units === 'number' ? timeText(units, digits) : undefined
  output.ascii(text === undefined ? String(units) : `"${text}"`)
}

function decimalWriter({ precision, scale = 0 }: Definition, size: number | undefined): Write {
  // a fixed has room for the decimal digits that its bits hold, without that of the sign
  const mostDigits = size === undefined ? MOST_INT : Math.floor(Math.log10(2) * (8 * size - 1))
  if (!isInt(precision) || !isInt(scale)) return writeBase64
  const isDecimal = precision > 0 && precision <= mostDigits && scale >= 0 && scale <= precision
  return isDecimal ? (output, bytes, from, to) => writeDecimal(output, bytes, from, to, scale) : writeBase64
}

function isInt(value: unknown): value is number {
  return typeof value === 'number' && value === (value | 0)
}

function writeDecimal(output: JsonOutput, bytes: Buffer, from: number, to: number, scale: number): void {
  // a scale may come from the value, and only this bounds it: it throws when the digits would be more JSON than a value may have
  output.reserve(Math.abs(scale))
  const text = decimalText(bytes, from, to, scale)
  if (text === undefined) throw new ValueError('holds a decimal of no bytes, or of more than 4,096')
  output.ascii(`"${text}"`)
}

/** Writes a big-decimal: its bytes hold an integer as bytes of their own, with their length in front, then the scale. */
function writeBigDecimal(output: JsonOutput, bytes: Buffer, from: number, to: number): void {
  const inner = new AvroInput()
  inner.load(bytes.subarray(0, to), from)
  const integerFrom = inner.readSized()
  const integerTo = inner.at
  const scale = inner.readInt()
  if (inner.at !== to) throw new ValueError('holds a big-decimal that goes on after its scale')
  writeDecimal(output, bytes, integerFrom, integerTo, scale)
}

/** Reads Debezium's record for a decimal of a column without a fixed scale: the scale, then the integer as bytes. */
export function variableScaleDecimal(input: AvroInput, output: JsonOutput): void {
  const scale = input.readInt()
  const from = input.readSized()
  writeDecimal(output, input.bytes, from, input.at, scale)
}

/** Writes a duration: three numbers, each little-endian and unsigned. */
function writeDuration(output: JsonOutput, bytes: Buffer, from: number): void {
  const [months, days, millis] = [from, from + 4, from + 8].map((at) => bytes.readUInt32LE(at))
  output.ascii(`{"months":${months},"days":${days},"millis":${millis}}`)
}

function writeUuid(output: JsonOutput, bytes: Buffer, from: number, to: number): void {
  const hex = bytes.toString('hex', from, to)
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  output.ascii(`"${groups.join('-')}"`)
}

function writeBase64(output: JsonOutput, bytes: Buffer, from: number, to: number): void {
  output.base64(bytes, from, to)
}
