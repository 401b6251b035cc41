// Readers and writers of values whose type has a logical type, or none: what they become in JSON, exactly. A time outside a day stays a
// number: nothing is wrapped, cut or rounded.

import { decimalText } from '../json-number.ts'
import type { JsonOutput } from '../json-output.ts'
import { ValueError } from '../unreadable.ts'
import { AvroInput } from './avro-input.ts'
import type { AvroLogical } from './avro-logical.ts'
import { dateText, timestampText, timeText } from './avro-time.ts'

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
    return (input, output) => output.ascii(`"${timestampText(input.readLong(), digits)}${zone}"`)
  }
  if (logical?.kind === 'time') return (input, output) => writeTime(output, input.readLong(), logical.digits)
  return (input, output) => output.ascii(String(input.readLong()))
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

const writeBase64: Write = (output, bytes, from, to) => output.base64(bytes, from, to)
