// What a file of a schema declares, whether it was read from a .proto text or from a descriptor. Types only; names stand as in the file,
// nothing is resolved. Members are named as in Google's descriptor.proto, so that most of a descriptor is taken as it is, but for these:
// messages at the top level are `nested_type` too (there `message_type`), so that files and messages are searched in one way; `path`,
// `edition` and `imports` replace other members of a file; `map_type` is our own. What does not decide how bytes are read is left out.

export interface ProtoFile extends Declared {
  /** The path by which others import the file; empty for the schema itself. */
  readonly path: string
  /** '' when it has none. */
  readonly package: string
  /** 'proto2' (also when the file does not say), 'proto3', or an edition: '2023'. protobuf-link.ts refuses those it does not know. */
  readonly edition: string
  /** Imports in the order of the text. */
  readonly imports: readonly ProtoImport[]
}

export interface ProtoImport {
  readonly path: string
  /** The file has a meaning without it. */
  readonly weak: boolean
  /** A file that imports this one sees it too. */
  readonly public: boolean
}

/** Declarations of a file or a message. */
export interface Declared {
  /** Messages in the order that a message index counts; also entries of maps, if they are declared as messages, as in descriptors. */
  readonly nested_type: readonly ProtoMessage[]
  readonly enum_type: readonly ProtoEnum[]
  readonly extension: readonly ProtoField[]
  readonly options?: ProtoOptions | undefined
}

export interface ProtoMessage extends Declared {
  readonly name?: string
  /** Fields in the order of their declaration. */
  readonly field: readonly ProtoField[]
  /** Entries of the fields that a .proto text writes as `map<K, V>`: no message index counts them. */
  readonly map_type?: readonly ProtoMessage[]
}

/** A field. A descriptor may have any number as its label or type: one that descriptor.proto has no name for stays a number. */
export interface ProtoField {
  readonly name?: string
  readonly number?: number
  /** LABEL_REPEATED, LABEL_REQUIRED or LABEL_OPTIONAL; any other, or none, counts as optional. */
  readonly label?: string | number | undefined
  /** TYPE_INT32 and the like in a descriptor; of a .proto text only TYPE_GROUP, as its other types are in `type_name`. */
  readonly type?: string | number | undefined
  /** The name of a message or an enum, as it is written; of a .proto text also that of a scalar. */
  readonly type_name?: string
  /** The message it extends, as it is written. */
  readonly extendee?: string | undefined
  /** The oneof it is a member of. That of a field that is `proto3_optional` does not count: the descriptor invented it. */
  readonly oneof_index?: number | undefined
  /** Written as `optional` in proto3. */
  readonly proto3_optional?: boolean
  readonly options?: ProtoOptions | undefined
}

export interface ProtoEnum {
  readonly name?: string
  readonly value: readonly { readonly name?: string; readonly number?: number }[]
}

export interface ProtoOptions {
  readonly features?: ProtoFeatures
  /** The message is the entry of a map. */
  readonly map_entry?: boolean
  /** The message is a message set, an old form that is not read. */
  readonly message_set_wire_format?: boolean
}

export interface ProtoFeatures {
  /** EXPLICIT, IMPLICIT or LEGACY_REQUIRED. */
  readonly field_presence?: string
  /** LENGTH_PREFIXED or DELIMITED. */
  readonly message_encoding?: string
}
