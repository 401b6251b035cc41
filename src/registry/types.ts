// What schemas of a registry are to the connector: how they are named, what one is, and what reads a value by it. Types only.
//
// The decoders of Avro and Protobuf in this folder are written by hand, and libraries are not used for them, because:
// - numbers are exact: libraries give JavaScript numbers, which lose digits of 64-bit integers and decimals;
// - a value of few bytes can announce millions of items: every loop here is bounded, and so is the JSON it writes;
// - libraries generate code from a schema, and a schema comes from outside;
// - bytes become JSON bytes in one pass, without an object for each value between.

/** An id (magic byte 0), or a GUID as 36 characters in lower case (magic byte 1). */
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
  /** Its one JSON text in UTF-8, valid, numbers exact; it may share memory with the bytes it was read from, and nothing writes
   *  there again. */
  readonly json: Buffer
  /** The full name of its type: of the record in Avro, also of a union's branch, of the message in Protobuf; the
   *  title in JSON Schema. `undefined` when it has none. */
  readonly name?: string | undefined
}

/** problem: what follows "its value": never what it holds. */
export type Decoded = DecodedJson | { readonly problem: string }

/** Reads values of one schema. Never throws, whatever the bytes are; never reads beyond them. */
export interface ValueDecoder {
  readonly type: SchemaType
  /** Doubt about the schema, to be logged once: what follows "Schema 17". `undefined` when there is none. */
  readonly warning?: string | undefined
  /** @param from where the payload begins in `bytes`; it goes on to their end, and all of it must be the value
   *  @param indexes Protobuf's message indexes where they lie apart from the payload (in a header); `undefined` when
   *  they begin at `from` */
  decode(bytes: Buffer, from: number, indexes: Buffer | undefined): Decoded
}

/** Why a schema cannot be used: the text that follows "its schema 17". */
export interface SchemaProblem {
  readonly problem: string
}

/** Makes the decoder of a schema, or says why it cannot. Never throws.
 *  @param mostBytes of JSON that a value becomes, unless it is half as large itself; 4 MiB when left out */
export type MakeDecoder = (schema: RegisteredSchema, mostBytes?: number) => ValueDecoder | SchemaProblem
