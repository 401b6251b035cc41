// Which message of a schema a value is: the message indexes before it, by the wire format of Confluent.
// A count and as many indexes, each within the one before; a single 0 is short for the first message.
//
// They are zigzag numbers. Serialisers of .NET and, before 2023, of Python can be told to write plain ones instead
// (`use.deprecated.format`): where zigzag gives a negative number, they are taken for plain, which nothing else can be.
// Plain ones that also make sense as zigzag (the count even and every index too) cannot be told apart and are not.

import { ValueTrouble } from '../trouble.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

const FIRST: readonly number[] = [0]

/** Reads them at `wire.at`, past which it goes. */
export function readIndexes(wire: ProtobufWire): readonly number[] {
  const start = wire.at
  const indexes = read(wire, zigzag)
  if (indexes) return indexes
  wire.at = start
  return read(wire, plain)!
}

/** Undefined: one is negative. */
function read(wire: ProtobufWire, next: (wire: ProtobufWire) => number): readonly number[] | undefined {
  const count = next(wire)
  if (count === 0) return FIRST
  if (count < 0) return undefined
  // each takes a byte: no list becomes longer than the value
  const indexes: number[] = []
  while (indexes.length < count) {
    const index = next(wire)
    if (index < 0) return undefined
    indexes.push(index)
  }
  return indexes
}

function zigzag(wire: ProtobufWire): number {
  const value = plain(wire)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

function plain(wire: ProtobufWire): number {
  wire.varint()
  if (wire.high !== 0) throw new ValueTrouble('begins with message indexes that are beyond 2^32')
  return wire.low >>> 0
}
