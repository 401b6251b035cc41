// Avro's logical types: which one an annotation is, and what its values become, as exact texts. An annotation that is unknown,
// or does not fit its type is ignored, as the specification demands. Kafka Connect's own (connect.name) are no logical types.
// A time outside a day stays a number: nothing is wrapped, cut or rounded.

import { decimalText } from '../json-number.ts'
import type { JsonOutput } from '../json-output.ts'
import { ValueError } from '../unreadable.ts'
import { AvroInput } from './avro-input.ts'

/** Units of time as digits of a second. `zone`: what its text ends with. */
export type AvroLogical =
  | { readonly kind: 'decimal'; readonly scale: number }
  | { readonly kind: 'big-decimal' | 'uuid' | 'date' | 'duration' }
  | { readonly kind: 'time'; readonly digits: number }
  | { readonly kind: 'timestamp'; readonly digits: number; readonly zone: 'Z' | '' }

/** Logical types that depend on nothing but the Avro type. */
const PLAIN = new Map<string, AvroLogical>([
  ['bytes big-decimal', { kind: 'big-decimal' }],
  ['string uuid', { kind: 'uuid' }],
  ['int date', { kind: 'date' }],
  ['int time-millis', { kind: 'time', digits: 3 }],
  ['long time-micros', { kind: 'time', digits: 6 }],
  ['long timestamp-millis', { kind: 'timestamp', digits: 3, zone: 'Z' }],
  ['long timestamp-micros', { kind: 'timestamp', digits: 6, zone: 'Z' }],
  ['long timestamp-nanos', { kind: 'timestamp', digits: 9, zone: 'Z' }],
  ['long local-timestamp-millis', { kind: 'timestamp', digits: 3, zone: '' }],
  ['long local-timestamp-micros', { kind: 'timestamp', digits: 6, zone: '' }],
  ['long local-timestamp-nanos', { kind: 'timestamp', digits: 9, zone: '' }],
])

/** @param type the Avro type annotated
 *  @param size of a fixed */
export function avroLogical(
  definition: Readonly<Record<string, unknown>>,
  type: string,
  size?: number,
): AvroLogical | undefined {
  const name = definition['logicalType']
  if (name === 'decimal' && (type === 'bytes' || type === 'fixed')) return decimal(definition, size)
  if (type !== 'fixed') return PLAIN.get(`${type} ${String(name)}`)
  if (name === 'uuid' && size === 16) return { kind: 'uuid' }
  return name === 'duration' && size === 12 ? { kind: 'duration' } : undefined
}

function decimal(definition: Readonly<Record<string, unknown>>, size: number | undefined): AvroLogical | undefined {
  const { precision, scale = 0 } = definition
  const most = size === undefined ? MOST_INT : Math.floor(Math.log10(2) * (8 * size - 1))
  if (!isInt(precision) || !isInt(scale)) return undefined
  return precision > 0 && precision <= most && scale >= 0 && scale <= precision ? { kind: 'decimal', scale } : undefined
}

const MOST_INT = 2 ** 31 - 1

function isInt(value: unknown): value is number {
  return typeof value === 'number' && value === (value | 0)
}

type Read = (input: AvroInput, output: JsonOutput) => void
type Write = (output: JsonOutput, bytes: Buffer, from: number, to: number) => void

export function logicalInt(logical: AvroLogical | undefined): Read {
  if (logical?.kind === 'date') return (input, output) => output.ascii(`"${dateText(input.readInt())}"`)
  if (logical?.kind === 'time') return (input, output) => writeTime(output, input.readInt(), logical.digits)
  return (input, output) => output.ascii(String(input.readInt()))
}

export function logicalLong(logical: AvroLogical | undefined): Read {
  if (logical?.kind === 'timestamp') {
    const { digits, zone } = logical
    return (input, output) => output.ascii(`"${timestampText(exactLong(input), digits)}${zone}"`)
  }
  if (logical?.kind === 'time') return (input, output) => writeTime(output, exactLong(input), logical.digits)
  return (input, output) => output.ascii(String(exactLong(input)))
}

/** Writers of what bytes hold. */
export function logicalBytes(logical: AvroLogical | undefined): Write {
  if (logical?.kind === 'decimal') {
    return (output, bytes, from, to) => writeDecimal(output, bytes, from, to, logical.scale)
  }
  return logical?.kind === 'big-decimal' ? writeBigDecimal : writeBase64
}

/** Writers of what a fixed holds. */
export function logicalFixed(logical: AvroLogical | undefined): Write {
  if (logical?.kind === 'uuid') return writeUuid
  return logical?.kind === 'duration' ? writeDuration : logicalBytes(logical)
}

function exactLong(input: AvroInput): number | bigint {
  const value = input.readLong()
  return value === value ? value : input.big
}

function writeTime(output: JsonOutput, units: number | bigint, digits: number): void {
  const text = typeof units === 'number' ? timeText(units, digits) : undefined
  output.ascii(text === undefined ? String(units) : `"${text}"`)
}

function writeDecimal(output: JsonOutput, bytes: Buffer, from: number, to: number, scale: number): void {
  output.reserve(Math.abs(scale))
  const text = decimalText(bytes, from, to, scale)
  if (text === undefined) throw new ValueError('holds a decimal of no bytes, or of more than 4,096')
  output.ascii(`"${text}"`)
}

/** The integer as bytes with their length, then the scale. */
function writeBigDecimal(output: JsonOutput, bytes: Buffer, from: number, to: number): void {
  const inner = new AvroInput()
  inner.load(bytes.subarray(0, to), from)
  const first = inner.readSized()
  const last = inner.at
  const scale = inner.readInt()
  if (inner.at !== to) throw new ValueError('holds a big-decimal that goes on after its scale')
  writeDecimal(output, bytes, first, last, scale)
}

/** The scale, then the integer as bytes with their length. */
export function variableScaleDecimal(input: AvroInput, output: JsonOutput): void {
  const scale = input.readInt()
  const from = input.readSized()
  writeDecimal(output, input.bytes, from, input.at, scale)
}

/** Little-endian and unsigned, all three. */
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

const DAY_SECONDS = 86_400

/** @param days since 1970-01-01, up to 10^12 either way. Beyond 9999 and before 0 the year has a sign. */
export function dateText(days: number): string {
  // Hinnant's algorithm: eras of 400 years, which begin in March
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const leaps = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096)
  const yearOfEra = Math.floor((ofEra - leaps) / 365)
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const march = Math.floor((5 * ofYear + 2) / 153)
  const day = ofYear - Math.floor((153 * march + 2) / 5) + 1
  const month = march < 10 ? march + 3 : march - 9
  return `${yearText(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))}-${padded(month, 2)}-${padded(day, 2)}`
}

/** @param digits of a second: the unit is 10^-digits seconds
 *  @returns undefined for what is no time of a day, 24:00 too */
export function timeText(units: number, digits: number): string | undefined {
  const perSecond = 10 ** digits
  return units >= 0 && units < DAY_SECONDS * perSecond ? within(units, digits, perSecond) : undefined
}

/** A point in time, no zone written. The caller knows whether a Z belongs to it.
 *  @param units since 1970-01-01T00:00, as a bigint where a number is not exact */
export function timestampText(units: number | bigint, digits: number): string {
  const perSecond = 10 ** digits
  const perDay = DAY_SECONDS * perSecond
  const [days, rest] = typeof units === 'number' ? split(units, perDay) : splitBig(units, perDay)
  return `${dateText(days)}T${within(rest, digits, perSecond)}`
}

/** Division rounds in floating point, a remainder does not. */
function split(units: number, perDay: number): [days: number, rest: number] {
  const rest = units % perDay
  return rest < 0 ? [(units - rest) / perDay - 1, rest + perDay] : [(units - rest) / perDay, rest]
}

function splitBig(units: bigint, perDay: number): [days: number, rest: number] {
  const rest = Number(units % BigInt(perDay))
  const days = Number(units / BigInt(perDay))
  return rest < 0 ? [days - 1, rest + perDay] : [days, rest]
}

function within(units: number, digits: number, perSecond: number): string {
  const fraction = units % perSecond
  const seconds = (units - fraction) / perSecond
  const second = seconds % 60
  const minutes = (seconds - second) / 60
  const minute = minutes % 60
  return `${padded((minutes - minute) / 60, 2)}:${padded(minute, 2)}:${padded(second, 2)}.${padded(fraction, digits)}`
}

function yearText(year: number): string {
  if (year > 9999) return `+${year}`
  return year < 0 ? `-${padded(-year, 4)}` : padded(year, 4)
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
