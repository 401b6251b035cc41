// How messages of a schema are read and written, resolved: types only.

import type { JsonOutput } from '../json-output.ts'
import type { ProtobufWire } from './protobuf-wire.ts'

export interface MessagePlan {
  /** The full name. */
  readonly name: string
  /** In the order they are written; a field's slot is its place here. */
  readonly fields: readonly FieldPlan[]
  /** A slot for each, empty. */
  readonly blank: Slots
  /** By tag, of low tags. */
  readonly common: readonly (TagReading | undefined)[]
  /** By tag, of all others. */
  readonly rare: ReadonlyMap<number, TagReading>
  /** JSON of its own instead of an object of its fields. */
  readonly own: OwnJson | undefined
}

/** What the bytes behind a tag are.
 *  - value: one scalar
 *  - values: one scalar of a list
 *  - span: a length and as many bytes: a message, an entry of a map, packed scalars
 *  - group: a message up to the tag that ends it */
export interface TagReading {
  readonly how: 'value' | 'values' | 'span' | 'group'
  readonly field: FieldPlan
}

export interface FieldPlan {
  readonly slot: number
  readonly name: string
  readonly number: number
  readonly kind: 'value' | 'values' | 'message' | 'messages' | 'map'
  /** Of messages: they are groups, which end with a tag. */
  readonly delimited: boolean
  /** JSON of its name and a colon; `next` with a comma before. */
  readonly first: Uint8Array
  readonly next: Uint8Array
  /** JSON written where it is absent. Undefined: it is left out. */
  readonly absent: Uint8Array | undefined
  readonly required: boolean
  /** Of a scalar or an enum. */
  readonly scalar: Scalar | undefined
  /** Of a map, its entry: key and value. */
  readonly message: MessagePlan | undefined
  /** Slots of the members of its oneof, its own too; empty: it is in none. */
  readonly oneof: readonly number[]
}

/** Undefined: absent. Of a `value` where it begins; of all else pairs of where a part begins and ends. */
export type Slot = number | readonly number[] | undefined
export type Slots = Slot[]

export interface Scalar {
  readonly wireType: 0 | 1 | 2 | 5
  /** JSON of the default. */
  readonly zero: string
  /** JSON of the one that begins at `wire.at`, past which it goes; ASCII. Undefined: of strings and bytes. */
  readonly text: ((wire: ProtobufWire) => string) | undefined
  write(wire: ProtobufWire, output: JsonOutput): void
}

/** Writes the JSON of a message whose fields are read. */
export type OwnJson = (messages: MessageWriter, plan: MessagePlan, slots: Slots, depth: number) => void

/** What a message's own JSON is written with. */
export interface MessageWriter {
  readonly wire: ProtobufWire
  readonly output: JsonOutput
  /** A message that is the parts `spans[from, to)`, pairs of begin and end, one after another. */
  message(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): void
  /** Fields of a message without braces.
   *  @param empty nothing stands before them */
  members(plan: MessagePlan, spans: readonly number[], empty: boolean, depth: number): void
  /** A field's value. */
  value(field: FieldPlan, slot: Slot, depth: number): void
}
