// From the wire to JSON, a message at a time: its fields are first found, then written in the order of their declaration.
// A message that comes in parts is merged by reading one part after another. A value that a later one replaces is not decoded.
//
// For each value: load `wire`, call `begin`, then `message` with the plan of its type, which protobuf-link.ts made, and take what is in
// `output`. A scalar is decoded only when it is written: `wire.back(slot)` goes back to where it begins.

import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, JsonOutput, OPEN_BRACE, OPEN_BRACKET } from '../json-output.ts'
import { ValueError } from '../unreadable.ts'
import { ProtobufWire } from './protobuf-wire.ts'

/** How messages of one type are read and written, with every name resolved. */
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
export type OwnJson = (writer: ProtobufMessages, plan: MessagePlan, slots: Slots, depth: number) => void

/** The most fields of a value's messages, set or not, and so many more for each byte: an empty message may have thousands. */
const MOST_FIELDS = 4_000_000
const MOST_FIELDS_PER_BYTE = 64
/** The most for a value of any size, for reading it blocks everything else: about a second. */
const MOST_FIELDS_EVER = 100_000_000
/** The most parts of a value's lists and messages. Each is kept until it is written, and few bytes may hold many. */
const MOST_PARTS = 8_000_000

/** The most levels of messages. Most reference parsers stop at 100; the stack has room for three times as many as this. */
const DEEPEST = 256

export class ProtobufMessages {
  readonly wire = new ProtobufWire()
  readonly output: JsonOutput
  /** How many more fields, and bytes of groups, may be read. */
  #fields = 0
  /** How many more parts may be kept. */
  #parts = 0

  /** @param mostBytes of a value's JSON */
  constructor(mostBytes?: number) {
    this.output = new JsonOutput(mostBytes)
  }

  /** @param size bytes of the value to be read */
  begin(size: number): void {
    this.output.begin(size)
    this.#fields = Math.min(MOST_FIELDS + MOST_FIELDS_PER_BYTE * size, MOST_FIELDS_EVER)
    this.#parts = MOST_PARTS
  }

  /** Writes the message that is the parts `spans[from, to)`, one after another: each is two places, where it begins and where it ends.
   *  @param depth messages it is in, its own included */
  message(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): void {
    const slots = this.#slots(plan, spans, from, to, depth)
    if (plan.own) return plan.own(this, plan, slots, depth)
    this.output.byte(OPEN_BRACE)
    this.#members(plan, slots, true, depth)
    this.output.byte(CLOSE_BRACE)
  }

  /** Writes the fields of a message without braces.
   *  @param isFirst whether nothing stands before them */
  members(plan: MessagePlan, spans: readonly number[], isFirst: boolean, depth: number): void {
    this.#members(plan, this.#slots(plan, spans, 0, spans.length, depth), isFirst, depth)
  }

  /** Writes a field's value. */
  value(field: FieldPlan, slot: Slot, depth: number): void {
    try {
      this.#value(field, slot, depth)
    } catch (error) {
      throw error instanceof ValueError ? error.within(field.name) : error
    }
  }

  /** The digits of a number, or a boolean's word; the default where it is absent. */
  asciiText({ zero, text }: Scalar, slot: Slot): string {
    if (slot === undefined) return zero
    this.wire.back(slot as number)
    return text!(this.wire)
  }

  /** The place of the content of a string or of bytes; empty where it is absent. */
  spanAt(slot: Slot): readonly [from: number, to: number] {
    if (slot === undefined) return [0, 0]
    this.wire.back(slot as number)
    const to = this.wire.sized()
    return [this.wire.at, to]
  }

  /** Finds where the fields of a message lie in its parts, `spans[from, to)`. */
  #slots(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): Slots {
    if (depth > DEEPEST) throw new ValueError(`holds messages more than ${DEEPEST} deep`)
    this.#countFields(plan.fields.length)
    const slots = plan.blank.slice()
    const { wire } = this
    for (let part = from; part < to; part += 2) {
      wire.at = spans[part]!
      wire.end = spans[part + 1]!
      this.#read(plan, slots)
    }
    return slots
  }

  #read(plan: MessagePlan, slots: Slots): void {
    const { wire } = this
    while (wire.at < wire.end) {
      const tag = wire.tag()
      const reading = tag < plan.common.length ? plan.common[tag] : plan.rare.get(tag)
      if (reading === undefined) wire.skip(tag)
      else this.#take(reading, slots, tag)
    }
  }

  /** Notes where the value behind a tag lies, and passes it. How it lies there, `TagReading` says. */
  #take({ how, field }: TagReading, slots: Slots, tag: number): void {
    const { wire } = this
    const at = wire.at
    if (how === 'scalar') {
      slots[field.slot] = at
      wire.pass(tag & 7)
    } else if (how === 'span') {
      const to = wire.sized()
      this.#part(slots, field.slot, wire.at, to)
      wire.at = to
    } else if (how === 'item') {
      wire.pass(tag & 7)
      this.#part(slots, field.slot, at, wire.at)
    } else {
      const to = wire.skip(tag)
      // its bytes are read once more for each group around it
      this.#countFields(to - at)
      this.#part(slots, field.slot, at, to)
    }
    if (field.oneof.length === 0) return
    this.#countFields(field.oneof.length)
    for (const member of field.oneof) if (member !== field.slot) slots[member] = undefined
  }

  /** Adds a part to the spans of a field that is no single scalar. */
  #part(slots: Slots, slot: number, from: number, to: number): void {
    if (--this.#parts < 0) throw new ValueError('holds more than 8,000,000 parts of lists and messages')
    const spans = slots[slot] as number[] | undefined
    if (spans === undefined) slots[slot] = [from, to]
    else spans.push(from, to)
  }

  /** @throws ValueError when there are too many */
  #countFields(fields: number): void {
    this.#fields -= fields
    if (this.#fields < 0) throw new ValueError('holds too many messages of many fields for its size')
  }

  #members(plan: MessagePlan, slots: Slots, isFirst: boolean, depth: number): void {
    const { output } = this
    let isNextFirst = isFirst
    for (const field of plan.fields) {
      const slot = slots[field.slot]
      if (slot === undefined && field.absent === undefined) {
        if (field.required) throw new ValueError('lacks what its schema requires').within(field.name)
        continue
      }
      output.literal(isNextFirst ? field.first : field.next)
      isNextFirst = false
      if (slot === undefined) output.literal(field.absent!)
      else this.value(field, slot, depth)
    }
  }

  #value({ content }: FieldPlan, slot: Slot, depth: number): void {
    if (content.kind === 'scalar') {
      this.wire.back(slot as number)
      return content.scalar.write(this.wire, this.output)
    }
    const spans = slot as readonly number[]
    switch (content.kind) {
      case 'scalars':
        return this.#scalars(content.scalar, spans)
      case 'message':
        return this.message(content.message, spans, 0, spans.length, depth + 1)
      case 'messages':
        return this.#messages(content.message, spans, depth)
      case 'map':
        return this.#map(content.message, spans, depth)
    }
  }

  /** Writes a list of scalars. Each part holds one of them, or any number of packed ones. */
  #scalars(scalar: Scalar, spans: readonly number[]): void {
    const { wire, output } = this
    output.byte(OPEN_BRACKET)
    const start = output.at
    for (let part = 0; part < spans.length; part += 2) {
      wire.at = spans[part]!
      wire.end = spans[part + 1]!
      while (wire.at < wire.end) {
        if (output.at > start) output.byte(COMMA)
        scalar.write(wire, output)
      }
    }
    output.byte(CLOSE_BRACKET)
  }

  #messages(message: MessagePlan, spans: readonly number[], depth: number): void {
    const { output } = this
    output.byte(OPEN_BRACKET)
    for (let part = 0; part < spans.length; part += 2) {
      if (part > 0) output.byte(COMMA)
      this.message(message, spans, part, part + 2, depth + 1)
    }
    output.byte(CLOSE_BRACKET)
  }

  /** Writes a map as an object; of entries with the same key the last one counts. Its entries are messages of a key and a value. */
  #map(entry: MessagePlan, spans: readonly number[], depth: number): void {
    const { output } = this
    const [key, value] = entry.fields as readonly [FieldPlan, FieldPlan]
    const entries = new Map<string, Slots>()
    for (let part = 0; part < spans.length; part += 2) {
      const slots = this.#slots(entry, spans, part, part + 2, depth + 1)
      entries.set(this.#keyText(key, slots[0]), slots)
    }
    output.byte(OPEN_BRACE)
    const start = output.at
    for (const [text, slots] of entries) {
      if (output.at > start) output.byte(COMMA)
      // JSON's names are strings: a number or a boolean gets quotes; a string that is absent is empty, and any other is decoded
      if (slots[0] === undefined || scalarOf(key).text) output.ascii(`"${text}"`)
      else this.#value(key, slots[0], depth)
      output.byte(COLON)
      this.#mapped(value, slots[1], depth + 1)
    }
    output.byte(CLOSE_BRACE)
  }

  /** Returns a text that is different for different keys: of a number or a boolean its JSON, of a string its bytes. */
  #keyText(key: FieldPlan, slot: Slot): string {
    const scalar = scalarOf(key)
    if (scalar.text) return this.asciiText(scalar, slot)
    const [from, to] = this.spanAt(slot)
    return this.wire.bytes.toString('latin1', from, to)
  }

  /** Writes the value of an entry; its default where that is absent. */
  #mapped(value: FieldPlan, slot: Slot, depth: number): void {
    const { content } = value
    if (slot !== undefined) this.#value(value, slot, depth)
    else if ('message' in content) this.message(content.message, [], 0, 0, depth + 1)
    else this.output.ascii(content.scalar.zero)
  }
}

/** Returns the scalar of a field that holds one. */
export function scalarOf({ content }: FieldPlan): Scalar {
  if (content.kind === 'scalar') return content.scalar
  throw new TypeError('holds no scalar')
}
