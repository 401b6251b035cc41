// What a .proto file declares, whichever way it was written down (text or descriptor): names as they stand there, nothing
// resolved. Types only.

export interface ProtoFile {
  /** Empty: none. */
  readonly package: string
  readonly edition: string
  /** Paths, in order. */
  readonly imports: readonly ProtoImport[]
  readonly messages: readonly ProtoMessage[]
  readonly enums: readonly ProtoEnum[]
  readonly extensions: readonly ProtoField[]
  readonly features: ProtoFeatures
}

export interface ProtoImport {
  readonly path: string
  /** Without it the file still has a meaning. */
  readonly weak: boolean
}

export interface ProtoMessage {
  readonly name: string
  /** In the order of their declaration. */
  readonly fields: readonly ProtoField[]
  /** In the order a message index counts: also entries of maps, where they are written out. */
  readonly messages: readonly ProtoMessage[]
  readonly enums: readonly ProtoEnum[]
  readonly extensions: readonly ProtoField[]
  readonly mapEntry: boolean
  readonly messageSet: boolean
  readonly features: ProtoFeatures
}

export interface ProtoField {
  readonly name: string
  readonly number: number
  readonly label: 'optional' | 'required' | 'repeated'
  /** A scalar's name, or a type's as it is written. */
  readonly type: string
  /** `map<key, type>`: the type of its keys. */
  readonly mapKey: string | undefined
  readonly group: boolean
  /** Knows whether it was set though its file would not say so: a member of a oneof, proto3's `optional`. */
  readonly explicit: boolean
  /** The oneof it is a member of; proto3's `optional` is none. */
  readonly oneof: string | undefined
  /** The message it extends, as it is written. */
  readonly extendee: string | undefined
  readonly features: ProtoFeatures
}

export interface ProtoEnum {
  readonly name: string
  readonly values: readonly ProtoEnumValue[]
}

export interface ProtoEnumValue {
  readonly name: string
  readonly number: number
}

/** Of an edition's features those that decide how bytes are read. */
export interface ProtoFeatures {
  readonly field_presence?: string
  readonly message_encoding?: string
}
