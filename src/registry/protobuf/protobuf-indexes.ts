// Finds which message of its schema a value is. The message indexes of Confluent's wire format say it: a count, then that many indexes, the
// first among the messages of the file, each other one among those within the message before. A single 0 is short for the first message.
//
// They are varints in zigzag. Serialisers of .NET and, before 2023, of Python can write plain varints instead
// (`use.deprecated.format`). If one is negative when it is read as zigzag, all must be plain. Plain ones that are valid as zigzag too (the
// count and every index even) cannot be told apart, and are read as zigzag.

import { ValueError } from '../unreadable.ts'
import type { LinkedMessage } from './protobuf-link.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

const FIRST_MESSAGE: readonly number[] = [0]

/** Finds the message that the indexes name. Afterwards `wire` has `bytes` loaded, and stands where the message begins.
 *  @param roots the messages of the schema's file
 *  @param indexes those of a header; `undefined` when they stand in `bytes`, from `from` on, in front of the message
 *  @throws ValueError */
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
  let siblings = roots
  let message: LinkedMessage | undefined
  for (const index of path) {
    message = siblings[index]
    if (!message) throw new ValueError('has message indexes of no message in its schema')
    siblings = message.nested
  }
  if (message!.mapEntry) throw new ValueError('has message indexes of an entry of a map')
  return message! // as a path has one index at least
}

/** Reads the indexes at `wire.at`, one at least, and moves past them. */
export function readIndexes(wire: ProtobufWire): readonly number[] {
  const start = wire.at
  const indexes = readAs(zigzag, wire)
  if (indexes) return indexes
  wire.at = start
  return readAs(plain, wire)! // never `undefined`, since plain numbers are not negative
}

/** Reads indexes of one kind. `undefined` when one is negative. */
function readAs(nextNumber: (wire: ProtobufWire) => number, wire: ProtobufWire): readonly number[] | undefined {
  const count = nextNumber(wire)
  if (count === 0) return FIRST_MESSAGE
  if (count < 0) return undefined
  // each index takes a byte, so the list becomes no longer than the value, whatever the count is
  const indexes: number[] = []
  while (indexes.length < count) {
    const index = nextNumber(wire)
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
