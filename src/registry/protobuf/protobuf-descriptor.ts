// Reads a FileDescriptorProto, which some serialisers register in place of a .proto text. It is itself a value, of descriptor.proto.

import { SchemaError, ValueError } from '../unreadable.ts'
import type { ProtoFile, ProtoMessage } from './protobuf-file.ts'
import { knownFile, DESCRIPTOR_PATH } from './protobuf-known-files.ts'
import { linkProtobuf } from './protobuf-link.ts'
import { ProtobufMessages, type MessagePlan } from './protobuf-messages.ts'
import type { ProtoWork } from './protobuf-text.ts'

/** The most bytes of a descriptor's JSON, unless twice its own size is more. It is bounded, because it is parsed as a whole. */
const MOST_BYTES = 16 * 2 ** 20
/** How many characters of that JSON count as one declaration (`work.add`): they take as much memory. Comments and positions count too. */
const CHARACTERS_A_PART = 256
const DESCRIPTOR_TYPE = 'google.protobuf.FileDescriptorProto'

/** Reads one file of a schema. Throws a SchemaError.
 *  @param path of the file; '' when it is the schema's own
 *  @param work counts what all files of the schema declare */
export function readDescriptor(bytes: Buffer, path: string, work: ProtoWork): ProtoFile {
  const text = descriptorJson(bytes)
  work.add(text.length / CHARACTERS_A_PART)
  const file = JSON.parse(text) as FileDescriptor
  // bytes of something else may also read as a descriptor, but one without messages; an imported file may have none
  if (path === '' && file.message_type.length + file.dependency.length === 0)
    throw new SchemaError('is a file descriptor without messages')
  const weak = new Set(file.weak_dependency)
  const publicly = new Set(file.public_dependency)
  return {
    path,
    package: file.package ?? '',
    edition: editionOf(file),
    imports: file.dependency.map((imported, i) => ({ path: imported, weak: weak.has(i), public: publicly.has(i) })),
    nested_type: file.message_type,
    enum_type: file.enum_type,
    extension: file.extension,
    options: file.options,
  }
}

function descriptorJson(bytes: Buffer): string {
  const messages = new ProtobufMessages(MOST_BYTES)
  try {
    messages.wire.load(bytes, 0)
    messages.begin(bytes.length)
    const onePart = [0, bytes.length]
    const firstLevel = 1
    messages.message(descriptorPlan(), onePart, 0, onePart.length, firstLevel)
    return messages.output.take().toString()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new SchemaError('is neither a .proto text nor base64 of a file descriptor')
  }
}

let plan: MessagePlan | undefined

/** The plan by which descriptors are read. It is made when it is first needed. */
function descriptorPlan(): MessagePlan {
  plan ??= linkProtobuf([knownFile(DESCRIPTOR_PATH)!]).roots.find((root) => root.plan.name === DESCRIPTOR_TYPE)!.plan
  return plan
}

interface FileDescriptor extends Omit<ProtoMessage, 'field' | 'name' | 'nested_type'> {
  readonly package?: string
  readonly dependency: readonly string[]
  readonly weak_dependency: readonly number[]
  readonly public_dependency: readonly number[]
  readonly message_type: readonly ProtoMessage[]
  readonly syntax?: string
  readonly edition?: string | number
}

/** 'proto2', 'proto3' or '2023', for which a descriptor has the syntax 'editions' and EDITION_2023. */
function editionOf({ syntax, edition }: FileDescriptor): string {
  if (syntax === 'editions') return String(edition).replace(/^EDITION_/, '')
  return syntax === undefined || syntax === '' ? 'proto2' : syntax
}
