// Writes messages of Protobuf as JSON. First the places of a message's fields are found on the wire (Slot), then the fields are written in
// the order of their declaration; a value that a later one replaces is not decoded. Parts of one message are read one after another.
//
// For each value, the caller loads `wire`, calls `begin`, then `message` with a plan (protobuf-link.ts), and takes what is in `output`.

import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, JsonOutput, OPEN_BRACE, OPEN_BRACKET } from '../json-output.ts'
import { ValueError } from '../unreadable.ts'
import { ProtobufWire } from './protobuf-wire.ts'

/** How messages of one type are read and written, with every name resolved. */
export interface MessagePlan {
  /** The full name. */
  readonly name: string
  /** Fields in the order in which they are written. */
  readonly fields: readonly FieldPlan[]
  /** An empty slot for each field, to be copied. */
  readonly blank: Slots
  /** How to read what follows a tag, for low tags; `undefined` for those of no field. */
  readonly common: readonly (TagReading | undefined)[]
  /** The same for higher tags. */
  readonly rare: ReadonlyMap<number, TagReading>
  /** Writes it in a form of its own. `undefined` when it is written as an object of its fields. */
  readonly own: OwnJson | undefined
}

/** What follows a tag.
 *  - scalar: the scalar of a field that is no list
 *  - item: one scalar of a list
 *  - span: a length and as many bytes: a message, an entry of a map, packed scalars
 *  - group: a message up to the tag that ends it */
export interface TagReading {
  readonly how: 'scalar' | 'item' | 'span' | 'group'
  readonly field: FieldPlan
}

export interface FieldPlan {
  /** Its place in `fields`, and in the Slots of a message. */
  readonly slot: number
  readonly name: string
  readonly number: number
  readonly content: FieldContent
  /** Its name in JSON and a colon, as they begin the first member of an object. `next` has a comma in front, for other members. */
  readonly first: Uint8Array
  readonly next: Uint8Array
  /** The JSON of the default, when that is written for an absent field. `undefined` when an absent field is left out. */
  readonly absent: Uint8Array | undefined
  /** Whether a message without it is refused. */
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

/** The place of a field in the bytes. Of a single scalar it is where it begins. Of anything else it is a list of spans: two places for each
 *  of its parts, where it begins and where it ends. `undefined` when the field is absent. */
export type Slot = number | readonly number[] | undefined
export type Slots = Slot[]

export interface Scalar {
  /** Its form on the wire: 0 a varint, 1 eight bytes, 2 a length and as many bytes, 5 four bytes. */
  readonly wireType: 0 | 1 | 2 | 5
  /** The JSON of its default. */
  readonly zero: string
  /** Reads one at `wire.at`, and returns its JSON, which is ASCII. `undefined` when the type is string or bytes. */
  readonly text: ((wire: ProtobufWire) => string) | undefined
  /** Reads one at `wire.at`, and writes its JSON. */
  write(wire: ProtobufWire, output: JsonOutput): void
}

/** Writes a message in a form of its own. `slots`: the places of its fields; `depth`: as for `message` of ProtobufMessages. */
export type OwnJson = (writer: ProtobufMessages, plan: MessagePlan, slots: Slots, depth: number) => void

/** The most fields of a value's messages, set or not, as a type may have thousands; and how many more for each byte of the value. */
const MOST_FIELDS = 4_000_000
const MOST_FIELDS_PER_BYTE = 64
/** The most fields of a value of any size: about a second, in which nothing else runs. */
const MOST_FIELDS_EVER = 100_000_000
/** The most parts (see Slot) of a value. Their places are kept until they are written, and few bytes may hold many parts. */
const MOST_PARTS = 8_000_000

/** The most levels of messages. Most reference parsers stop at 100; the stack has room for three times as many as this. */
const DEEPEST = 256

export class ProtobufMessages {
  readonly wire = new ProtobufWire()
  readonly output: JsonOutput
  /** How many more fields may be read; see `#countFields` for what else counts. */
  #fieldsLeft = 0
  /** How many more parts may be kept. */
  #partsLeft = 0

  /** @param mostBytes as for JsonOutput */
  constructor(mostBytes?: number) {
    this.output = new JsonOutput(mostBytes)
  }

  /** Begins with a value of `size` bytes. */
  begin(size: number): void {
    this.output.begin(size)
    this.#fieldsLeft = Math.min(MOST_FIELDS + MOST_FIELDS_PER_BYTE * size, MOST_FIELDS_EVER)
    this.#partsLeft = MOST_PARTS
  }

  /** Writes the message whose parts are spans[from, to), a range of a list of spans (see Slot).
   *  @param depth how many messages it is in, itself included */
  message(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): void {
    const slots = this.#slots(plan, spans, from, to, depth)
    if (plan.own) return plan.own(this, plan, slots, depth)
    this.output.byte(OPEN_BRACE)
    const isFirst = true
    this.#members(plan, slots, isFirst, depth)
    this.output.byte(CLOSE_BRACE)
  }

  /** Writes the fields of a message without braces, as members of an object that the caller writes.
   *  @param isFirst whether they are the first members of it */
  members(plan: MessagePlan, spans: readonly number[], isFirst: boolean, depth: number): void {
    this.#members(plan, this.#slots(plan, spans, 0, spans.length, depth), isFirst, depth)
  }

  /** Writes the value of a field that is not absent. */
  value(field: FieldPlan, slot: Slot, depth: number): void {
    try {
      this.#value(field, slot, depth)
    } catch (error) {
      throw error instanceof ValueError ? error.within(field.name) : error
    }
  }

  /** The JSON of a number, a boolean or an enum; that of the default where it is absent. */
  asciiText({ zero, text }: Scalar, slot: Slot): string {
    if (slot === undefined) return zero
    this.wire.back(slot as number)
    return text!(this.wire)
  }

  /** The place of the content of a string or of bytes; an empty range where it is absent. */
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

  /** Notes the place of what follows a tag, and passes it. */
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
    // of the members of a oneof only the last one counts
    if (field.oneof.length === 0) return
    this.#countFields(field.oneof.length)
    for (const member of field.oneof) if (member !== field.slot) slots[member] = undefined
  }

  /** Adds a part to a field that is no single scalar. */
  #part(slots: Slots, slot: number, from: number, to: number): void {
    if (--this.#partsLeft < 0) throw new ValueError('holds more than 8,000,000 parts of lists and messages')
    const spans = slots[slot] as number[] | undefined
    if (spans === undefined) slots[slot] = [from, to]
    else spans.push(from, to)
  }

  /** Counts work that takes about as long as so many fields: also what is done to members of a oneof, and bytes of groups.
   *  @throws ValueError when it is too much */
  #countFields(fields: number): void {
    this.#fieldsLeft -= fields
    if (this.#fieldsLeft < 0) throw new ValueError('holds too many messages of many fields for its size')
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
      // A name is a string in JSON: a number or a boolean gets quotes, an absent string is empty, any other string is written as it is.
      if (slots[0] === undefined || scalarOf(key).text) output.ascii(`"${text}"`)
      else this.#value(key, slots[0], depth)
      output.byte(COLON)
      this.#entryValue(value, slots[1], depth + 1)
    }
    output.byte(CLOSE_BRACE)
  }

  /** A text that differs for different keys: of a number or a boolean its JSON, of a string its bytes. */
  #keyText(key: FieldPlan, slot: Slot): string {
    const scalar = scalarOf(key)
    if (scalar.text) return this.asciiText(scalar, slot)
    const [from, to] = this.spanAt(slot)
    return this.wire.bytes.toString('latin1', from, to)
  }

  /** Writes the value of a map's entry; its default where that is absent. */
  #entryValue(value: FieldPlan, slot: Slot, depth: number): void {
    const { content } = value
    if (slot !== undefined) this.#value(value, slot, depth)
    else if ('message' in content) this.message(content.message, [], 0, 0, depth + 1)
    else this.output.ascii(content.scalar.zero)
  }
}

/** The scalar of a field that must be a single scalar. */
export function scalarOf({ content }: FieldPlan): Scalar {
  if (content.kind === 'scalar') return content.scalar
  throw new TypeError('holds no scalar')
}
