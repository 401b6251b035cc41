// A FileDescriptorProto, which some serialisers register instead of the .proto text: read as a value like any other, by
// descriptor.proto.

import { SchemaError, ValueError } from '../unreadable.ts'
import type { ProtoFile, ProtoMessage } from './protobuf-file.ts'
import { knownFile, DESCRIPTOR_PATH } from './protobuf-known-files.ts'
import { linkProtobuf } from './protobuf-link.ts'
import { ProtobufMessages, type MessagePlan } from './protobuf-messages.ts'
import type { ProtoWork } from './protobuf-text.ts'

/** @param work of a schema so far, which grows
 *  @throws SchemaError */
export function readDescriptor(bytes: Buffer, path: string, work: ProtoWork): ProtoFile {
  const text = json(bytes)
  work.add(text.length / JSON_A_PART)
  const file = JSON.parse(text) as FileDescriptor
  // few bytes of other things are a descriptor too; what is imported may declare enums or extensions only, or nothing
  if (path === '' && file.message_type.length + file.dependency.length === 0)
    throw new SchemaError('is a file descriptor without messages')
  const weak = new Set(file.weak_dependency)
  const onward = new Set(file.public_dependency)
  return {
    path,
    package: file.package ?? '',
    edition: editionOf(file),
    imports: file.dependency.map((path, index) => ({ path, weak: weak.has(index), public: onward.has(index) })),
    nested_type: file.message_type,
    enum_type: file.enum_type,
    extension: file.extension,
    options: file.options,
  }
}

function json(bytes: Buffer): string {
  const messages = new ProtobufMessages(MOST_BYTES)
  try {
    messages.wire.load(bytes, 0)
    messages.begin(bytes.length)
    messages.message(descriptorPlan(), [0, bytes.length], 0, 2, 1)
    return messages.output.take().toString()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new SchemaError('is neither a .proto text nor base64 of a file descriptor')
  }
}

/** Most bytes of a descriptor as JSON, unless it is half as large itself: it is parsed as a whole. */
const MOST_BYTES = 16 * 2 ** 20
/** Characters of it that take as much memory as one part of a .proto text, with comments and source positions. */
const JSON_A_PART = 256

let plan: MessagePlan | undefined

/** Made once, when it is needed. */
function descriptorPlan(): MessagePlan {
  plan ??= linkProtobuf([knownFile(DESCRIPTOR_PATH)!]).roots.find((root) => root.plan.name === FILE)!.plan
  return plan
}

const FILE = 'google.protobuf.FileDescriptorProto'

interface FileDescriptor extends Omit<ProtoMessage, 'field' | 'name' | 'nested_type'> {
  readonly package?: string
  readonly dependency: readonly string[]
  readonly weak_dependency: readonly number[]
  readonly public_dependency: readonly number[]
  readonly message_type: readonly ProtoMessage[]
  readonly syntax?: string
  readonly edition?: string | number
}

function editionOf({ syntax, edition }: FileDescriptor): string {
  if (syntax === 'editions') return String(edition).replace(/^EDITION_/, '')
  return syntax === undefined || syntax === '' ? 'proto2' : syntax
}
