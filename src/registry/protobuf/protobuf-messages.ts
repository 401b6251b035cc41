// From the wire to JSON, a message at a time: its fields are first found, then written in the order of their declaration.
// A message that comes in parts is merged by reading one part after another. A value that a later one replaces is not decoded.

import { JsonOutput } from '../json-output.ts'
import { ValueError } from '../unreadable.ts'
import { ProtobufWire } from './protobuf-wire.ts'

/** Fields visited, set or not: an empty message may have thousands. A large value may have many messages. */
const MOST_FIELDS = 4_000_000
const MOST_FIELDS_PER_BYTE = 64
/** For a value of any size: reading it blocks everything else, for about a second at most. */
const MOST_FIELDS_EVER = 100_000_000
/** Parts that a value's lists and messages come in. Each is kept until it is written, and few bytes may hold many. */
const MOST_PARTS = 8_000_000

/** Most reference parsers stop at 100. The stack has room for three times as many. */
const DEEPEST = 256

export class ProtobufMessages {
  readonly wire = new ProtobufWire()
  readonly output: JsonOutput
  /** Fields that may still be looked at, and bytes of groups. */
  #fields = 0
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

  /** Writes the message that is the parts `spans[from, to)`, pairs of begin and end, one after another. */
  message(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): void {
    this.#write(plan, this.#slots(plan, spans, from, to, depth), depth)
  }

  /** Writes the fields of a message without braces.
   *  @param empty nothing stands before them */
  members(plan: MessagePlan, spans: readonly number[], empty: boolean, depth: number): void {
    this.#members(plan, this.#slots(plan, spans, 0, spans.length, depth), empty, depth)
  }

  /** Writes a field's value. */
  value(field: FieldPlan, slot: Slot, depth: number): void {
    try {
      this.#value(field, slot, depth)
    } catch (error) {
      throw error instanceof ValueError ? error.within(field.name) : error
    }
  }

  #slots(plan: MessagePlan, spans: readonly number[], from: number, to: number, depth: number): Slots {
    if (depth > DEEPEST) throw new ValueError(`holds messages more than ${DEEPEST} deep`)
    this.#look(plan.fields.length)
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

  #take({ how, field }: TagReading, slots: Slots, tag: number): void {
    const { wire } = this
    const at = wire.at
    if (how === 'value') {
      slots[field.slot] = at
      wire.pass(field.scalar!.wireType)
    } else if (how === 'span') {
      const to = wire.sized()
      this.#part(slots, field.slot, wire.at, to)
      wire.at = to
    } else if (how === 'values') {
      wire.pass(field.scalar!.wireType)
      this.#part(slots, field.slot, at, wire.at)
    } else {
      const to = wire.skip(tag)
      // its bytes are read once more for each group around it
      this.#look(to - at)
      this.#part(slots, field.slot, at, to)
    }
    if (field.oneof.length === 0) return
    this.#look(field.oneof.length)
    for (const member of field.oneof) if (member !== field.slot) slots[member] = undefined
  }

  #part(slots: Slots, slot: number, from: number, to: number): void {
    if (--this.#parts < 0) throw new ValueError('holds more than 8,000,000 parts of lists and messages')
    const spans = slots[slot] as number[] | undefined
    if (spans === undefined) slots[slot] = [from, to]
    else spans.push(from, to)
  }

  #look(fields: number): void {
    this.#fields -= fields
    if (this.#fields < 0) throw new ValueError('holds too many messages of many fields for its size')
  }

  #write(plan: MessagePlan, slots: Slots, depth: number): void {
    if (plan.own) return plan.own(this, plan, slots, depth)
    this.output.byte(OPEN_BRACE)
    this.#members(plan, slots, true, depth)
    this.output.byte(CLOSE_BRACE)
  }

  #members(plan: MessagePlan, slots: Slots, empty: boolean, depth: number): void {
    const { output } = this
    let isFirst = empty
    for (const field of plan.fields) {
      const slot = slots[field.slot]
      if (slot === undefined && field.absent === undefined) {
        if (field.required) throw new ValueError('lacks what its schema requires').within(field.name)
        continue
      }
      output.literal(isFirst ? field.first : field.next)
      isFirst = false
      if (slot === undefined) output.literal(field.absent!)
      else this.value(field, slot, depth)
    }
  }

  #value(field: FieldPlan, slot: Slot, depth: number): void {
    switch (field.kind) {
      case 'value':
        this.wire.back(slot as number)
        return field.scalar!.write(this.wire, this.output)
      case 'values':
        return this.#scalars(field, slot as number[])
      case 'message':
        return this.message(field.message!, slot as number[], 0, (slot as number[]).length, depth + 1)
      case 'messages':
        return this.#messages(field, slot as number[], depth)
      case 'map':
        return this.#map(field, slot as number[], depth)
    }
  }

  /** Parts of one scalar or of packed ones, even none. */
  #scalars({ scalar }: FieldPlan, spans: readonly number[]): void {
    const { wire, output } = this
    output.byte(OPEN_BRACKET)
    const start = output.at
    for (let part = 0; part < spans.length; part += 2) {
      wire.at = spans[part]!
      wire.end = spans[part + 1]!
      while (wire.at < wire.end) {
        if (output.at > start) output.byte(COMMA)
        scalar!.write(wire, output)
      }
    }
    output.byte(CLOSE_BRACKET)
  }

  #messages({ message }: FieldPlan, spans: readonly number[], depth: number): void {
    const { output } = this
    output.byte(OPEN_BRACKET)
    for (let part = 0; part < spans.length; part += 2) {
      if (part > 0) output.byte(COMMA)
      this.message(message!, spans, part, part + 2, depth + 1)
    }
    output.byte(CLOSE_BRACKET)
  }

  /** Writes a map as an object; of entries with the same key the last one counts. */
  #map(field: FieldPlan, spans: readonly number[], depth: number): void {
    const { output } = this
    const entry = field.message!
    const entries = new Map<string, Slots>()
    for (let part = 0; part < spans.length; part += 2) {
      const slots = this.#slots(entry, spans, part, part + 2, depth + 1)
      entries.set(this.#key(entry.fields[0]!, slots[0] as number | undefined), slots)
    }
    output.byte(OPEN_BRACE)
    const start = output.at
    for (const [key, slots] of entries) {
      if (output.at > start) output.byte(COMMA)
      this.#name(entry.fields[0]!, slots[0] as number | undefined, key)
      output.byte(COLON)
      this.#mapped(entry.fields[1]!, slots[1], depth + 1)
    }
    output.byte(CLOSE_BRACE)
  }

  /** A text that is different for different keys. */
  #key({ scalar }: FieldPlan, at: number | undefined): string {
    const { wire } = this
    if (at === undefined) return scalar!.text ? scalar!.zero : ''
    wire.back(at)
    if (scalar!.text) return scalar!.text(wire)
    const to = wire.sized()
    return wire.bytes.toString('latin1', wire.at, to)
  }

  #name({ scalar }: FieldPlan, at: number | undefined, key: string): void {
    if (scalar!.text || at === undefined) return this.output.ascii(`"${key}"`)
    this.wire.back(at)
    scalar!.write(this.wire, this.output)
  }

  #mapped(value: FieldPlan, slot: Slot, depth: number): void {
    if (slot !== undefined) this.#value(value, slot, depth)
    else if (value.message) this.message(value.message, [], 0, 0, depth + 1)
    else this.output.ascii(value.scalar!.zero)
  }
}

const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const COMMA = 44
const COLON = 58

// How messages of a schema are read and written, with every name resolved: made by protobuf-link.ts.

export interface MessagePlan {
  /** The full name. */
  readonly name: string
  /** Fields in the order they are written; a field's slot is its place here. */
  readonly fields: readonly FieldPlan[]
  /** A slot for each, empty. */
  readonly blank: Slots
  /** Readings of low tags, by tag. */
  readonly common: readonly (TagReading | undefined)[]
  /** Readings of all other tags. */
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
  /** Whether a message is a group, which ends with a tag. */
  readonly delimited: boolean
  /** JSON of its name and a colon; `next` with a comma before. */
  readonly first: Uint8Array
  readonly next: Uint8Array
  /** JSON written where the field is absent. `undefined` when it is left out then. */
  readonly absent: Uint8Array | undefined
  readonly required: boolean
  /** How a scalar or an enum is read. */
  readonly scalar: Scalar | undefined
  /** The message, or the entry of a map: key and value. */
  readonly message: MessagePlan | undefined
  /** Slots of the members of its oneof, its own too; empty: it is in none. */
  readonly oneof: readonly number[]
}

/** Where a field lies: a `value` where it begins, all else as pairs of where a part begins and ends. `undefined` when
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
export type OwnJson = (messages: ProtobufMessages, plan: MessagePlan, slots: Slots, depth: number) => void
