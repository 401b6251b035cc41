// Reads Protobuf values by their schema, as JSON texts. What each type becomes: protobuf-scalars.ts, protobuf-well-known.ts.

import { SchemaError, ValueError, quoted } from '../unreadable.ts'
import type { MakeDecoder, ValueDecoder } from '../types.ts'
import { readIndexes } from './protobuf-indexes.ts'
import { linkProtobuf } from './protobuf-link.ts'
import type { LinkedMessage } from './protobuf-link.ts'
import { loadProtobuf } from './protobuf-load.ts'
import { ProtobufMessages } from './protobuf-messages.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

export const protobufDecoder: MakeDecoder = (schema, mostBytes) => {
  try {
    const { roots, unseen } = linkProtobuf(loadProtobuf(schema))
    if (roots.length === 0) return { problem: 'declares no message' }
    const warning = unseen.size === 0 ? undefined : unseenWords([...unseen])
    return { type: 'PROTOBUF', warning, decode: decodeBy(roots, new ProtobufMessages(mostBytes)) }
  } catch (error) {
    return { problem: error instanceof SchemaError ? error.message : unforeseen(error) }
  }
}

function unseenWords(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(quoted).join(', ')
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return `uses ${shown}${more} in files that do not import what declares them: taken from the one file that does.`
}

/** For a stack overflow, too little memory, or a bug of ours. */
function unforeseen(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deep or too large to be read'
  return `cannot be read: ${error instanceof Error ? error.name : typeof error}`
}

function decodeBy(roots: readonly LinkedMessage[], messages: ProtobufMessages): ValueDecoder['decode'] {
  const { wire, output } = messages
  return (bytes, from, indexes) => {
    try {
      const { plan, name } = messageOf(roots, wire, indexes, bytes, from)
      messages.begin(bytes.length)
      messages.message(plan, [wire.at, bytes.length], 0, 2, 1)
      return { json: output.take(), name }
    } catch (error) {
      return { problem: error instanceof ValueError ? error.words() : unforeseen(error) }
    } finally {
      wire.unload()
      output.drop()
    }
  }
}

/** Finds the message type that the indexes name. Afterwards the wire stands where the value begins. */
function messageOf(
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
  return found!
}
