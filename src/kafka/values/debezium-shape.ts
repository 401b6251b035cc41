// Classifies a Debezium payload by the names and types of its members: an envelope, a flattened row, or something else.

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
type ValueType = 'none' | 'null' | 'text' | 'object' | 'other'

type DebeziumShape = 'envelope' | 'flat' | 'message' | 'transaction' | 'heartbeat'

/** `of` classifies a payload; the other methods tell of members of the payload given last. */
export class DebeziumShapes {
  readonly #members = new NamedMembers(NAMES)
  #payload: RecordData | undefined

  /** A row of a table may have columns named like an envelope's members, so their types count too. */
  of(payload: RecordData): DebeziumShape {
    this.#payload = payload
    this.#members.find(payload)
    if (this.#isEnvelope()) return 'envelope'
    if (this.#isMessage()) return 'message'
    if (this.#isTransaction(payload)) return 'transaction'
    return payload.count === 1 && this.type('ts_ms') === 'other' ? 'heartbeat' : 'flat'
  }

  type(name: MemberName): ValueType {
    const slot = this.slot(name)
    if (slot === ABSENT) return 'none'
    const first = this.#payload!.bytes[this.#payload!.members[slot + VALUE_FROM]!]
    if (first === N) return 'null'
    if (first === QUOTE) return 'text'
    return first === BRACE ? 'object' : 'other'
  }

  /** The member's slot in the payload's table; ABSENT when there is none. */
  slot(name: MemberName): number {
    return this.#members.slots[NAMES.indexOf(name)]!
  }

  /** How often the member occurs. */
  times(name: MemberName): number {
    return this.#members.times[NAMES.indexOf(name)]!
  }

  /** The value of a member that is a text. `undefined` when it is none. */
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
    return hasSource || (op === 'text' && isRow(before) && isRow(after) && this.type('__deleted') === 'none')
  }

  /** Protobuf leaves out members that are null, so a delete may lack both rows, a truncate always does. */
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
    // Protobuf leaves out a count that is null
    const counts = this.#present('event_count') + this.#present('data_collections')
    return counts > 0 && payload.count === 2 + counts + this.#present('ts_ms')
  }

  #present(name: MemberName): 0 | 1 {
    return this.slot(name) === ABSENT ? 0 : 1
  }
}

/** Whether an envelope may have this in the place of a row. */
function isRow(type: ValueType): boolean {
  return type === 'none' || type === 'null' || type === 'object'
}

const shapes = new DebeziumShapes()
/** Members that a converter puts around one when it writes schemas. */
const around = new NamedMembers(['schema', 'payload'])

/** Whether an object that was read as a plain row is a change of Debezium's: for a hint. */
export function isDebeziumChange(row: RecordData): boolean {
  if (shapes.of(row) === 'envelope') return true
  around.find(row)
  return row.count === 2 && !around.slots.includes(ABSENT)
}
