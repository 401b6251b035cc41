// Reads Protobuf values by their schema, as JSON texts. What each type becomes: protobuf-scalars.ts, protobuf-well-known.ts.

import { SchemaTrouble, ValueTrouble } from '../trouble.ts'
import { readIndexes } from './protobuf-indexes.ts'
import type { LinkedMessage } from './protobuf-link.ts'
import { linkProtobuf } from './protobuf-link.ts'
import { loadProtobuf } from './protobuf-load.ts'
import { ProtobufMessages } from './protobuf-messages.ts'
import type { MessagePlan } from './protobuf-plan.ts'
import type { Decoded, MakeDecoder } from '../types.ts'

export const protobufDecoder: MakeDecoder = (schema, mostBytes) => {
  try {
    const roots = linkProtobuf(loadProtobuf(schema))
    if (roots.length === 0) return { problem: 'declares no message' }
    const messages = new ProtobufMessages(mostBytes)
    return { type: 'PROTOBUF', decode: (bytes, from, indexes) => decoded(roots, messages, bytes, from, indexes) }
  } catch (error) {
    return { problem: error instanceof SchemaTrouble ? error.message : unforeseen(error) }
  }
}

/** Of a stack or a memory that was too small, or of a mistake of ours. */
function unforeseen(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deep or too large to be read'
  return `cannot be read: ${error instanceof Error ? error.name : typeof error}`
}

function decoded(
  roots: readonly LinkedMessage[],
  messages: ProtobufMessages,
  bytes: Buffer,
  from: number,
  indexes: Buffer | undefined,
): Decoded {
  const { wire, output } = messages
  try {
    const plan = planOf(roots, messages, indexes, bytes, from)
    messages.begin(bytes.length)
    messages.message(plan, [wire.at, bytes.length], 0, 2, 1)
    return { json: output.take() }
  } catch (error) {
    return { problem: error instanceof ValueTrouble ? error.words() : unforeseen(error) }
  } finally {
    wire.unload()
    output.drop()
  }
}

/** The message the indexes name. Leaves the wire where the value begins. */
function planOf(
  roots: readonly LinkedMessage[],
  { wire }: ProtobufMessages,
  indexes: Buffer | undefined,
  bytes: Buffer,
  from: number,
): MessagePlan {
  if (indexes?.length === 0) throw new ValueTrouble('has no message indexes behind the id in its header')
  wire.load(indexes ?? bytes, indexes ? 0 : from)
  const path = readIndexes(wire)
  if (indexes) {
    if (wire.at < wire.end) throw new ValueTrouble('has more than message indexes behind the id in its header')
    wire.load(bytes, from)
  }
  let among = roots
  let found: LinkedMessage | undefined
  for (const index of path) {
    found = among[index]
    if (!found) throw new ValueTrouble('has message indexes of no message in its schema')
    among = found.nested
  }
  if (found!.mapEntry) throw new ValueTrouble('has message indexes of an entry of a map')
  return found!.plan
}
