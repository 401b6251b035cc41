// How messages of a schema are read and written, with every name resolved: made by protobuf-link.ts, followed by
// protobuf-messages.ts. Types only.

import type { JsonOutput } from '../json-output.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

export interface MessagePlan {
  /** The full name. */
  readonly name: string
  /** Fields in the order they are written; a field's slot is its place here. */
  readonly fields: readonly FieldPlan[]
  /** An empty slot for each field. */
  readonly blank: Slots
  /** Readings of low tags, by tag. */
  readonly common: readonly (TagReading | undefined)[]
  /** Readings of all other tags. */
  readonly rare: ReadonlyMap<number, TagReading>
  /** JSON of its own instead of an object of its fields. */
  readonly own: OwnJson | undefined
}

/** Kinds of what follows a tag.
 *  - scalar: the one scalar of a field
 *  - item: one scalar of a list
 *  - span: a length and as many bytes: a message, an entry of a map, packed scalars
 *  - group: a message up to the tag that ends it */
export interface TagReading {
  readonly how: 'scalar' | 'item' | 'span' | 'group'
  readonly field: FieldPlan
}

export interface FieldPlan {
  readonly slot: number
  readonly name: string
  readonly number: number
  readonly content: FieldContent
  /** JSON of its name and a colon; `next` with a comma before. */
  readonly first: Uint8Array
  readonly next: Uint8Array
  /** JSON written where the field is absent. `undefined` when it is left out then. */
  readonly absent: Uint8Array | undefined
  readonly required: boolean
  /** Slots of the members of its oneof, its own too; empty when it is in none. */
  readonly oneof: readonly number[]
}

/** A scalar (also an enum) or a list of them; a message, a list of messages, or a map, whose message is an entry with key and value.
 *  isDelimited: the message is a group, which ends with a tag. */
export type FieldContent =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'scalars'; readonly scalar: Scalar }
  | { readonly kind: 'message' | 'messages' | 'map'; readonly message: MessagePlan; readonly isDelimited: boolean }

/** Where a field lies: one scalar where it begins, all else as pairs of where a part begins and ends. `undefined` when
 *  it is absent. */
export type Slot = number | readonly number[] | undefined
export type Slots = Slot[]

export interface Scalar {
  readonly wireType: 0 | 1 | 2 | 5
  /** JSON of the default. */
  readonly zero: string
  /** JSON of the one that begins at `wire.at`, past which it goes; ASCII. `undefined` when it is a string or bytes. */
  readonly text: ((wire: ProtobufWire) => string) | undefined
  write(wire: ProtobufWire, output: JsonOutput): void
}

/** Writes the JSON of a message whose fields are read. */
export type OwnJson = (writer: MessageWriter, plan: MessagePlan, slots: Slots, depth: number) => void

/** The writer of messages: `ProtobufMessages`, as far as `OwnJson` needs it. */
export interface MessageWriter {
  readonly wire: ProtobufWire
  readonly output: JsonOutput
  /** Writes the message that is the parts `spans[from, to)`, pairs of begin and end, one after another. */
  message(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): void
  /** Writes the fields of a message without braces.
   *  @param isFirst whether nothing stands before them */
  members(plan: MessagePlan, spans: readonly number[], isFirst: boolean, depth: number): void
  /** Writes a field's value. */
  value(field: FieldPlan, slot: Slot, depth: number): void
  /** Digits of a number, or a boolean's word; the default where it is absent. */
  asciiText(scalar: Scalar, slot: Slot): string
  /** The place of the content of a string or of bytes; empty where it is absent. */
  spanAt(slot: Slot): readonly [from: number, to: number]
}
