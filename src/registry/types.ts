// Schemas of a registry: how they are named, what one consists of, and what decodes values by it. Types only.
//
// The decoders of Avro and Protobuf in this folder are written by hand, and libraries are not used for them, because:
// - numbers are exact: libraries give JavaScript numbers, which lose digits of 64-bit integers and decimals;
// - a value of few bytes can announce millions of items: every loop here is bounded, and so is the JSON it writes;
// - libraries generate code from a schema, and a schema comes from outside;
// - bytes become JSON bytes in one pass, without an object for each value between.

/** The name of a schema in a registry: an id, which is a number, or a GUID, which is a text of 36 characters in lower case. */
export type SchemaId = number | string

export type SchemaType = 'AVRO' | 'PROTOBUF' | 'JSON'

/** A schema as the registry gave it, with all it refers to. */
export interface RegisteredSchema {
  readonly type: SchemaType
  /** Avro: JSON. Protobuf: .proto text, or base64 of a FileDescriptorProto. JSON Schema: JSON. */
  readonly text: string
  /** References by the name the text uses: an Avro full name, an import's path, a `$ref`. */
  readonly references: readonly SchemaReference[]
}

export interface SchemaReference {
  readonly name: string
  readonly schema: RegisteredSchema
}

/** A value as JSON. */
export interface DecodedJson {
  /** One valid JSON text in UTF-8, with exact numbers. It may be a view of the value's own bytes, which must not change any more. */
  readonly json: Buffer
  /** The full name of the record (Avro, also in a union) or the message (Protobuf); the schema's title (JSON). `undefined` when none. */
  readonly name?: string | undefined
}

/** A value as JSON, or why it cannot be read. `problem`: words that follow "its value" and show nothing of it. */
export type Decoded = DecodedJson | { readonly problem: string }

/** Reads values of one schema. Never throws, whatever the bytes are; never reads beyond them. */
export interface ValueDecoder {
  readonly type: SchemaType
  /** Doubt about the schema, to be logged once, in words that follow "Schema 17". `undefined` when there is none. */
  readonly warning?: string | undefined
  /** @param from where the payload begins in `bytes`; it goes on to their end, and all of it must be the value
   *  @param indexes Protobuf's message indexes, if they stand in a header; `undefined` when they begin at `from` */
  decode(bytes: Buffer, from: number, indexes: Buffer | undefined): Decoded
}

/** Why a schema cannot be used. `problem`: words that follow "its schema 17". */
export interface SchemaProblem {
  readonly problem: string
}

/** Makes the decoder of a schema, or says why it cannot. Never throws.
 *  @param mostBytes how many bytes of JSON a value may become, or twice its own size if that is more; 4 MiB by default */
export type MakeDecoder = (schema: RegisteredSchema, mostBytes?: number) => ValueDecoder | SchemaProblem
