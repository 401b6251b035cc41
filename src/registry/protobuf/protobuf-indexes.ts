// Message indexes of Confluent's wire format say which message type of the schema a value has: a count, then that many
// indexes, each within the message before. A single 0 is short for the first message.
//
// They are zigzag numbers. Serialisers of .NET and, before 2023, of Python can write plain ones instead
// (`use.deprecated.format`). If zigzag gives a negative number, they must be plain. Plain ones that are also valid as
// zigzag (the count and every index even) cannot be told apart, and are read as zigzag.

import { ValueError } from '../unreadable.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

const FIRST: readonly number[] = [0]

/** Reads the indexes at `wire.at` and moves past them.
 *  @returns one at least */
export function readIndexes(wire: ProtobufWire): readonly number[] {
  const start = wire.at
  const indexes = read(wire, zigzag)
  if (indexes) return indexes
  wire.at = start
  return read(wire, plain)!
}

/** Reads them as numbers of one kind. `undefined` when one is negative. */
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
  if (wire.high !== 0) throw new ValueError('begins with message indexes that are beyond 2^32')
  return wire.low >>> 0
}
