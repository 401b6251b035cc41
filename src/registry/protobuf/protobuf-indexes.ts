// Finds which message type of its schema a value has. The message indexes of Confluent's wire format say it: a count, then that many
// indexes, each within the message before. A single 0 is short for the first message.
//
// They are zigzag numbers. Serialisers of .NET and, before 2023, of Python can write plain ones instead
// (`use.deprecated.format`). If zigzag gives a negative number, they must be plain. Plain ones that are also valid as
// zigzag (the count and every index even) cannot be told apart, and are read as zigzag.

import { ValueError } from '../unreadable.ts'
import type { LinkedMessage } from './protobuf-link.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

const FIRST: readonly number[] = [0]

/** Finds the message type that the indexes name. Afterwards `wire` stands where the value begins.
 *  @param roots the messages of the schema's file
 *  @param indexes those of a header; `undefined` when they are in front of the value, from `from` on */
export function findMessage(
  roots: readonly LinkedMessage[],
  wire: ProtobufWire,
  indexes: Buffer | undefined,
  bytes: Buffer,
  from: number,
): LinkedMessage {
  if (indexes?.length === 0) throw new ValueError('has no message indexes behind the id in its header')
  wire.load(indexes ?? bytes, indexes ? 0 : from)
  const path = readIndexes(wire)
  if (indexes) {
    if (wire.at < wire.end) throw new ValueError('has more than message indexes behind the id in its header')
    wire.load(bytes, from)
  }
  let among = roots
  let found: LinkedMessage | undefined
  for (const index of path) {
    found = among[index]
    if (!found) throw new ValueError('has message indexes of no message in its schema')
    among = found.nested
  }
  if (found!.mapEntry) throw new ValueError('has message indexes of an entry of a map')
  return found! // as a path has one index at least
}

/** Reads the indexes at `wire.at` and moves past them.
 *  @returns one at least */
export function readIndexes(wire: ProtobufWire): readonly number[] {
  const start = wire.at
  const indexes = read(wire, zigzag)
  if (indexes) return indexes
  wire.at = start
  return read(wire, plain)! // never `undefined`, since plain numbers are not negative
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
