// How each scalar type of Protobuf is read from the wire and written as JSON. 64-bit integers are digits without quotes, bytes are base64.
// A varint, or an integer of 64 bits, is read into its halves `wire.high` and `wire.low`. `zero` is the JSON of a type's default.

import { doubleText, floatText } from '../json-number.ts'
import type { Scalar } from './protobuf-messages.ts'
import { WIRE, type ProtobufWire } from './protobuf-wire.ts'

/** Scalar types by their names in .proto files. */
export const scalars: ReadonlyMap<string, Scalar> = new Map([
  ['int32', varint('0', (wire) => String(wire.low))],
  ['uint32', varint('0', (wire) => String(wire.low >>> 0))],
  ['sint32', varint('0', (wire) => String((wire.low >>> 1) ^ -(wire.low & 1)))],
  ['int64', varint('0', (wire) => signedText(wire.high, wire.low))],
  ['uint64', varint('0', (wire) => unsignedText(wire.high, wire.low))],
  ['sint64', varint('0', unzigzagged)],
  ['bool', varint('false', (wire) => (wire.low | wire.high ? 'true' : 'false'))],
  ['fixed32', ascii(WIRE.fourBytes, '0', (wire) => String(wire.fixed32() >>> 0))],
  ['sfixed32', ascii(WIRE.fourBytes, '0', (wire) => String(wire.fixed32()))],
  ['fixed64', fixed64((wire) => unsignedText(wire.high, wire.low))],
  ['sfixed64', fixed64((wire) => signedText(wire.high, wire.low))],
  ['float', ascii(WIRE.fourBytes, '0', (wire) => floatText(wire.float()))],
  ['double', ascii(WIRE.eightBytes, '0', (wire) => doubleText(wire.double()))],
  ['string', sized((wire, output, to) => output.string(wire.bytes, wire.at, to))],
  ['bytes', sized((wire, output, to) => output.base64(wire.bytes, wire.at, to))],
])

/** The scalar of an enum; a number without a name stays a number.
 *  @param names the JSON of its names by number */
export function enumScalar(names: ReadonlyMap<number, string>, zero: string): Scalar {
  return varint(zero, (wire) => names.get(wire.low) ?? String(wire.low))
}

/** The scalar of the enum NullValue, which is null whatever its number is. */
export const nullScalar = varint('null', () => 'null')

function varint(zero: string, text: (wire: ProtobufWire) => string): Scalar {
  return ascii(WIRE.varint, zero, (wire) => {
    wire.varint()
    return text(wire)
  })
}

function fixed64(text: (wire: ProtobufWire) => string): Scalar {
  return ascii(WIRE.eightBytes, '0', (wire) => {
    wire.fixed64()
    return text(wire)
  })
}

/** A scalar whose JSON is ASCII. `text` reads it, and returns that. */
function ascii(wireType: 0 | 1 | 5, zero: string, text: (wire: ProtobufWire) => string): Scalar {
  return { wireType, zero, text, write: (wire, output) => output.ascii(text(wire)) }
}

/** A string or bytes. `write` writes what stands from `wire.at` to `to`. */
function sized(write: (wire: ProtobufWire, output: Parameters<Scalar['write']>[1], to: number) => void): Scalar {
  return {
    wireType: WIRE.sized,
    zero: '""',
    text: undefined,
    write: (wire, output) => {
      const to = wire.sized()
      write(wire, output, to)
      wire.at = to
    },
  }
}

function unzigzagged({ high, low }: ProtobufWire): string {
  const sign = -(low & 1)
  return signedText((high >>> 1) ^ sign, ((low >>> 1) | (high << 31)) ^ sign)
}

/** The digits of 64 bits as a number without a sign. */
function unsignedText(high: number, low: number): string {
  return joined(high >>> 0, low >>> 0)
}

/** The digits of 64 bits in two's complement. */
function signedText(high: number, low: number): string {
  return joined(high | 0, low >>> 0)
}

function joined(high: number, low: number): string {
  const value = high * 2 ** 32 + low
  return Number.isSafeInteger(value) ? String(value) : String((BigInt(high) << 32n) | BigInt(low))
}
