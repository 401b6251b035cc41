// What a file of a schema declares, whether it was read from a .proto text or from a descriptor. Types only, shaped and named as in
// descriptor.proto: names as they stand in the file, nothing resolved.

export interface ProtoFile extends Declared {
  /** The path by which others import the file; empty for the schema itself. */
  readonly path: string
  /** '' when it has none. */
  readonly package: string
  readonly edition: string
  /** Imports in the order of the text. */
  readonly imports: readonly ProtoImport[]
}

export interface ProtoImport {
  readonly path: string
  /** Without it the file still has a meaning. */
  readonly weak: boolean
  /** A file that imports this one sees it too. */
  readonly public: boolean
}

export interface Declared {
  /** Messages in the order a message index counts: also entries of maps, where they are written out. */
  readonly nested_type: readonly ProtoMessage[]
  readonly enum_type: readonly ProtoEnum[]
  readonly extension: readonly ProtoField[]
  readonly options?: ProtoOptions | undefined
}

export interface ProtoMessage extends Declared {
  readonly name?: string
  /** Fields in the order of their declaration. */
  readonly field: readonly ProtoField[]
  /** Entries of maps that are not written out. */
  readonly map_type?: readonly ProtoMessage[]
}

export interface ProtoField {
  readonly name?: string
  readonly number?: number
  /** Repeated, required or optional; optional when absent. */
  readonly label?: string | number | undefined
  /** TYPE_INT32 and the like. */
  readonly type?: string | number | undefined
  /** A scalar's name, or a type's as it is written. Absent when `type` says all. */
  readonly type_name?: string
  /** The message it extends, as it is written. */
  readonly extendee?: string | undefined
  /** The oneof it is a member of; that of proto3's `optional` is none. */
  readonly oneof_index?: number | undefined
  readonly proto3_optional?: boolean
  readonly options?: ProtoOptions | undefined
}

export interface ProtoEnum {
  readonly name?: string
  readonly value: readonly { readonly name?: string; readonly number?: number }[]
}

/** Options that decide how bytes are read. */
export interface ProtoOptions {
  readonly features?: ProtoFeatures
  readonly map_entry?: boolean
  readonly message_set_wire_format?: boolean
}

export interface ProtoFeatures {
  readonly field_presence?: string
  readonly message_encoding?: string
}
