// Classifies Debezium payloads by the names and types of their members: an envelope, a flattened row, or something else.

import { BRACE, N, QUOTE } from '../../json/bytes.ts'
import { NamedMembers } from '../../json/named-members.ts'
import { ABSENT, memberText, type RecordData } from '../../json/record-data.ts'
import { VALUE_FROM } from '../../json/scanner.ts'

const NAMES = [
  'op',
  'before',
  'after',
  'source',
  'message',
  '__deleted',
  'status',
  'id',
  'event_count',
  'data_collections',
  'ts_ms',
] as const

type MemberName = (typeof NAMES)[number]
/** The type of a member's JSON value: `none` when there is no such member, `other` for a number, a boolean or an array. */
type ValueType = 'none' | 'null' | 'text' | 'object' | 'other'

/** The kind of a payload. envelope: a change, with the row before and after it. message: one that was written to the database's log.
 *  transaction: the beginning or end of one. heartbeat: nothing but a time. flat: anything else, as a row without its envelope. */
type DebeziumShape = 'envelope' | 'flat' | 'message' | 'transaction' | 'heartbeat'

/** `classify` takes a payload; the other methods tell of that payload's members until the next one. */
export class DebeziumShapes {
  readonly #members = new NamedMembers(NAMES)
  #payload: RecordData | undefined

  /** Tells what a payload is. A row may have columns with names of an envelope's members, so their types count too. */
  classify(payload: RecordData): DebeziumShape {
    this.#payload = payload
    this.#members.find(payload)
    if (this.#isEnvelope()) return 'envelope'
    if (this.#isMessage()) return 'message'
    if (this.#isTransaction(payload)) return 'transaction'
    return payload.count === 1 && this.type('ts_ms') === 'other' ? 'heartbeat' : 'flat'
  }

  /** The type of a member's value, by its first byte. */
  type(name: MemberName): ValueType {
    const slot = this.slot(name)
    if (slot === ABSENT) return 'none'
    const first = this.#payload!.bytes[this.#payload!.members[slot + VALUE_FROM]!]
    if (first === N) return 'null'
    if (first === QUOTE) return 'text'
    return first === BRACE ? 'object' : 'other'
  }

  /** The member's slot: its place in the payload's `members`. ABSENT when there is no such member. */
  slot(name: MemberName): number {
    return this.#members.slots[NAMES.indexOf(name)]!
  }

  /** How often the member occurs. */
  times(name: MemberName): number {
    return this.#members.times[NAMES.indexOf(name)]!
  }

  /** The text that the member is. `undefined` when it is something else or absent. */
  text(name: MemberName): string | undefined {
    return memberText(this.#payload!, this.slot(name))
  }

  #isEnvelope(): boolean {
    const op = this.type('op')
    if (op === 'none') return false
    const before = this.type('before')
    const after = this.type('after')
    const hasSource = this.type('source') === 'object'
    if (before === 'none' && after === 'none') return hasSource && this.#lacksRows()
    return hasSource || (op === 'text' && maybeRow(before) && maybeRow(after) && this.type('__deleted') === 'none')
  }

  /** Whether an envelope may lack both rows. Protobuf leaves out members that are null: a delete may lack them, and a truncate always does. */
  #lacksRows(): boolean {
    const op = this.text('op')
    return (op === 'd' || op === 't') && this.type('ts_ms') === 'other'
  }

  #isMessage(): boolean {
    return this.type('source') === 'object' && this.text('op') === 'm' && this.type('message') === 'object'
  }

  #isTransaction(payload: RecordData): boolean {
    const status = this.text('status')
    if ((status !== 'BEGIN' && status !== 'END') || this.type('id') !== 'text') return false
    // only status, id, counts and a time; Protobuf leaves out a count that is null
    const counts = this.#present('event_count') + this.#present('data_collections')
    return counts > 0 && payload.count === 2 + counts + this.#present('ts_ms')
  }

  #present(name: MemberName): 0 | 1 {
    return this.slot(name) === ABSENT ? 0 : 1
  }
}

/** Whether a value of this type may stand in an envelope as its row. */
function maybeRow(type: ValueType): boolean {
  return type === 'none' || type === 'null' || type === 'object'
}

/** Filled again at each call of `isDebeziumChange`. */
const shapes = new DebeziumShapes()
const wrapper = new NamedMembers(['schema', 'payload'])

/** Whether an object that was read as a plain row looks like a change of Debezium's, in Connect's wrapper or not; a hint is given then. */
export function isDebeziumChange(row: RecordData): boolean {
  if (shapes.classify(row) === 'envelope') return true
  wrapper.find(row)
  return row.count === 2 && !wrapper.slots.includes(ABSENT)
}
