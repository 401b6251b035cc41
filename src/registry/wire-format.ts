// Finds the id of a record's schema, and where the payload begins, in the wire format of Confluent's serialisers. A schema is named by a
// magic byte and what follows: 0 and an id of four bytes, or 1 and a GUID. They stand in a header, or in front of the payload.
//
// As Confluent's deserialisers do, this looks into the header first; if several have its name, into the last one. In front of the payload
// it looks only when there is no such header, or the header has no value.

import type { SchemaId } from './types.ts'

export interface Wire {
  readonly id: SchemaId
  /** The place of the payload's first byte. */
  readonly from: number
  /** The bytes behind an id that stands in a header: Protobuf's message indexes, which say which message of the schema it is; empty for
   *  other types of schemas. `undefined` when the id stands in front of the payload, which then begins with such indexes. */
  readonly indexes: Buffer | undefined
}

export type Side = 'value' | 'key'

const HEADERS = { value: '__value_schema_id', key: '__key_schema_id' } as const
const OPTIONS = { value: 'value_encoding', key: 'key_encoding' } as const
/** The length of a magic byte and an id, and of a magic byte and a GUID. */
const ID_BYTES = 5
const GUID_BYTES = 17
const FORMS = `${ID_BYTES} with an id or ${GUID_BYTES} with a GUID`
/** The length of what AWS Glue writes in front: a version (3), a byte for the compression (0 or 5), a UUID. */
const GLUE_BYTES = 18
/** Registries keep ids as Java's int, which has no larger one. */
const HIGHEST_ID = 0x7f_ff_ff_ff

/** Finds the id and the payload of a value or a key. Never throws.
 *  @param headers of the record, as they came
 *  @returns `problem`: words that follow "its value" or "its key", and show none of its bytes but the first */
export function readWire(
  bytes: Buffer,
  headers: readonly (readonly [name: string, value: Buffer | null])[],
  side: Side,
): Wire | { readonly problem: string } {
  const header = headerOf(headers, HEADERS[side])
  if (header) return fromHeader(header, HEADERS[side])
  const id = idIn(bytes)
  if (id === undefined) return { problem: prefixProblem(bytes, side) }
  if (typeof id === 'number' && id > HIGHEST_ID) return { problem: tooHigh(id, 'begins with') }
  return { id, from: typeof id === 'number' ? ID_BYTES : GUID_BYTES, indexes: undefined }
}

/** The value of the last header of that name. `null` when there is none, or it has no value. */
function headerOf(headers: readonly (readonly [string, Buffer | null])[], name: string): Buffer | null {
  for (let index = headers.length - 1; index >= 0; index--) {
    const header = headers[index]!
    if (header[0] === name) return header[1]
  }
  return null
}

function fromHeader(header: Buffer, name: string): Wire | { readonly problem: string } {
  const id = idIn(header)
  if (id === undefined) return { problem: `has the header ${name}, and that ${headerProblem(header)}` }
  if (typeof id === 'number' && id > HIGHEST_ID)
    return { problem: tooHigh(id, `has the header ${name}, and that names`) }
  return { id, from: 0, indexes: header.subarray(typeof id === 'number' ? ID_BYTES : GUID_BYTES) }
}

/** The id or the GUID at the beginning of the bytes. `undefined` when they do not begin with one. */
function idIn(bytes: Buffer): SchemaId | undefined {
  if (bytes[0] === 0 && bytes.length >= ID_BYTES) return bytes.readUInt32BE(1)
  if (bytes[0] !== 1 || bytes.length < GUID_BYTES) return undefined
  const hex = bytes.toString('hex', 1, GUID_BYTES)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function tooHigh(id: number, where: string): string {
  return `${where} the schema id ${id}, which is higher than any registry gives`
}

function headerProblem(header: Buffer): string {
  if (header.length === 0) return 'is empty'
  if (beginsWithMagic(header)) return `is too short for the id of a schema: ${bytesIn(header)} instead of ${FORMS}`
  return `begins with ${firstByte(header)} instead of 0x00 or 0x01: it is not the id of a schema`
}

function prefixProblem(bytes: Buffer, side: Side): string {
  if (bytes.length === 0) return `is empty, without the id of a schema before it or in the header ${HEADERS[side]}`
  if (beginsWithMagic(bytes))
    return `is too short to begin with the id of a schema: ${bytesIn(bytes)}, it takes ${FORMS}`
  return `begins with ${firstByte(bytes)} instead of the id of a schema: ${guess(bytes, OPTIONS[side])}`
}

function bytesIn({ length }: Buffer): string {
  return length === 1 ? '1 byte' : `${length} bytes`
}

function beginsWithMagic(bytes: Buffer): boolean {
  return bytes[0] === 0 || bytes[0] === 1
}

function firstByte(bytes: Buffer): string {
  return `0x${bytes.toString('hex', 0, 1)}`
}

const JSON_START = /^(?:\xef\xbb\xbf)?[ \t\r\n]*["[{]/
/** Only printable characters of ASCII, and white space. */
const TEXT_START = /^[\t\r\n\x20-\x7e]+$/

/** Guesses from the first bytes what wrote a value that has no id of a schema, in words for a message. */
function guess(bytes: Buffer, option: string): string {
  const start = bytes.toString('latin1', 0, 16)
  if (JSON_START.test(start)) return `it looks like JSON that no serialiser of a registry wrote; set ${option}: text`
  if (start.startsWith('Obj\x01')) return 'it is an Avro container file, which is not read'
  if (start.startsWith('\xc3\x01')) return "it is in Avro's single-object encoding, which names no schema of a registry"
  if (bytes.length >= GLUE_BYTES && bytes[0] === 3 && (bytes[1] === 0 || bytes[1] === 5))
    return 'it looks like the form of AWS Glue, whose registry is not supported'
  if (TEXT_START.test(start))
    return `it looks like text that no serialiser of a registry wrote; set ${option}: text if it is JSON`
  return 'no serialiser of a registry with the interface of Confluent wrote it'
}
