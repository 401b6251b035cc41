// Interprets a Debezium record, with or without schema, in its envelope or flattened: a row, a deleted row, or something else.
// Decimals become texts if there is a schema; placeholders are found, and replaced if configured. See
// formats.md#debezium.
//
// `read` says what a record is; everything else is about the record read last.

import { UNAVAILABLE_VALUE } from '../../config/stream/topic-options.ts'
import { nameOf } from '../../json/name.ts'
import { NamedMembers } from '../../json/named-members.ts'
import { ABSENT, lastMember, memberName, memberText, RecordData } from '../../json/record-data.ts'
import { Scanner, STRIDE, VALUE_FROM, VALUE_TO } from '../../json/scanner.ts'
import type { Decimals } from './connect-decimal.ts'
import { DebeziumShapes } from './debezium-shape.ts'
import { DecimalColumns } from './decimal-columns.ts'
import type { Ignored, RejectedValue } from './read-object.ts'
import { unavailableColumns } from './unavailable-columns.ts'
import { Unwrapper } from './unwrapper.ts'

const UNAVAILABLE = nameOf('__unavailable')
const HEARTBEATS = '__debezium-heartbeat'
/** The member in the key of a heartbeat. */
const SERVER_NAME = '"serverName"'

/** row: one to write. deleted: one that is gone. tombstone: there is nothing but the key. truncated: all rows of the table are gone.
 *  unavailable: a row with columns whose value Debezium did not see. */
export type DebeziumMeaning = 'row' | 'deleted' | 'tombstone' | 'truncated' | 'unavailable' | Ignored | RejectedValue

const MONGODB: RejectedValue = {
  rejected:
    "it holds its row as a text, as Debezium's connector for MongoDB does, which is not supported: flatten its records there with ExtractNewDocumentState",
}
const IGNORED = {
  message: { ignored: 'message' },
  transaction: { ignored: 'transaction' },
  heartbeat: { ignored: 'heartbeat' },
} as const

/** Reads the values of one topic. */
export class DebeziumValues {
  /** The row where `read` said `row`, `deleted` or `unavailable`. Of a deleted row it is what is known of it: only the key is reliable. One
   *  that is `unavailable` is not to be sent, and has its decimals as they came. */
  readonly row = new RecordData()
  /** Whether `row` is filled: nothing may be known of a deleted row. */
  hasRow = false
  /** Whether the record read last is an update. */
  isUpdate = false
  /** Names of the columns whose value Debezium did not see. */
  readonly columns: string[] = []
  readonly #makesNull: boolean
  readonly #unavailable: ReturnType<typeof unavailableColumns>
  readonly #isHeartbeatTopic: boolean
  readonly #unwrapper = new Unwrapper()
  readonly #shapes = new DebeziumShapes()
  readonly #decimals: DecimalColumns
  /** The slots of `columns`, filled again for each record. */
  readonly #unavailableSlots: number[] = []
  readonly #before = new RecordData()
  readonly #source = new RecordData()
  readonly #place = new NamedMembers(['db', 'schema', 'table'])
  readonly #scanner = new Scanner(32)
  /** Whether the record read last is an envelope: only that has `before` and `source`. */
  #isEnvelope = false

  /** @param makesNull whether a column without a known value becomes null and is named in `__unavailable`
   *  @param most bytes of a record's decimals as texts, unless it is half as long itself; 4 MiB when absent
   *  @param placeholder as of `unavailableColumns` */
  constructor(topic: string, makesNull: boolean, most?: number, placeholder: string = UNAVAILABLE_VALUE) {
    this.#makesNull = makesNull
    this.#unavailable = unavailableColumns(placeholder)
    this.#decimals = new DecimalColumns(most)
    this.#isHeartbeatTopic = topic.startsWith(HEARTBEATS)
  }

  read(value: Buffer, key: Buffer | null): DebeziumMeaning {
    this.hasRow = true
    this.isUpdate = false
    const unwrapper = this.#unwrapper
    const reason = unwrapper.read(value)
    if (reason !== undefined) return { rejected: `its value ${reason}` }
    if (unwrapper.payload === 'null') return 'tombstone'
    if (unwrapper.payload === 'scalar') return { rejected: 'its payload is not an object' }
    const shape = this.#shapes.of(unwrapper.object)
    this.#isEnvelope = shape === 'envelope'
    if (shape === 'envelope') return this.#envelope()
    if (shape === 'heartbeat' && !this.#isHeartbeatTopic && !key?.includes(SERVER_NAME)) return this.#flat()
    return shape === 'flat' ? this.#flat() : IGNORED[shape]
  }

  /** The row as it was before the update read last, valid until the next `read`. `undefined` when the record does not hold it. Of a
   *  deleted row, that is `row`. */
  before(): RecordData | undefined {
    if (!this.#isEnvelope || this.#shapes.type('before') !== 'object') return undefined
    const { scanner, object } = this.#unwrapper
    const { row } = this
    const from = object.members[this.#shapes.slot('before') + VALUE_FROM]!
    const to = object.members[this.#shapes.slot('before') + VALUE_TO]!
    this.#before.locate(scanner, object.bytes, from, to, row.first + row.count)
    // the scanner's table may have been replaced by a larger one
    row.members = scanner.members
    return this.#convert(this.#before, this.#fieldDecimals('before')) ? this.#before : undefined
  }

  /** The name of the changed table behind that of its schema, or else of its database, and a dot. `undefined` when it is not known. */
  source(): string | undefined {
    const { object } = this.#unwrapper
    const slot = this.#shapes.slot('source')
    if (!this.#isEnvelope || this.#shapes.type('source') !== 'object') return undefined
    const { members } = object
    this.#source.locate(this.#scanner, object.bytes, members[slot + VALUE_FROM]!, members[slot + VALUE_TO]!)
    this.#place.find(this.#source)
    const [db, schema, table] = Array.from(this.#place.slots, (at) => memberText(this.#source, at) || undefined)
    const space = schema ?? db
    return table === undefined || space === undefined ? undefined : `${space}.${table}`
  }

  #envelope(): DebeziumMeaning {
    const shapes = this.#shapes
    const op = shapes.text('op')
    this.isUpdate = op === 'u'
    switch (op) {
      case undefined:
        return { rejected: 'its op is not a string' }
      case 'c':
      case 'u':
      case 'r':
        if (!this.#into('after', this.row))
          return shapes.type('after') === 'text' ? MONGODB : { rejected: 'its after is not an object' }
        return this.#live(this.#fieldDecimals('after'))
      case 'd':
        this.hasRow = this.#into('before', this.row)
        if (!this.hasRow && shapes.type('before') !== 'none' && shapes.type('before') !== 'null')
          return shapes.type('before') === 'text' ? MONGODB : { rejected: 'its before is not an object' }
        return this.#gone(this.#fieldDecimals('before'))
      case 't':
        return 'truncated'
      case 'm':
        return IGNORED.message
      default:
        return { rejected: 'its op is none of c, u, d, r, t and m' }
    }
  }

  #flat(): DebeziumMeaning {
    const { object, scanner, decimals } = this.#unwrapper
    this.row.hold(scanner, object.bytes, object.from, object.to, object.first)
    if (this.#shapes.times('__deleted') > 1) return { rejected: 'its "__deleted" occurs twice' }
    const deleted = this.#isDeleted()
    if (deleted === undefined) return { rejected: 'its "__deleted" is neither true nor false' }
    return deleted ? this.#gone(decimals) : this.#live(decimals)
  }

  /** Tells whether the row is marked as deleted. `undefined` when the mark is invalid. */
  #isDeleted(): boolean | undefined {
    const shapes = this.#shapes
    const type = shapes.type('__deleted')
    if (type === 'none' || type === 'null') return false
    if (type === 'object') return undefined
    const { bytes, members } = this.#unwrapper.object
    const slot = shapes.slot('__deleted')
    const word =
      shapes.text('__deleted') ?? bytes.toString('latin1', members[slot + VALUE_FROM], members[slot + VALUE_TO])
    return word === 'true' || (word === 'false' ? false : undefined)
  }

  #live(decimals: Decimals | undefined): DebeziumMeaning {
    const unavailable = this.#findUnavailable()
    const isNamed = unavailable.length > 0
    if (isNamed && !this.#makesNull) return 'unavailable'
    const { bytes, members, first, count } = this.row
    if (isNamed && lastMember(bytes, members, first, count, UNAVAILABLE) !== ABSENT)
      return { rejected: 'it has a column "__unavailable", where columns without value would be named' }
    return this.#convert(this.row, decimals, unavailable, isNamed) ? 'row' : this.#unreadable()
  }

  #gone(decimals: Decimals | undefined): DebeziumMeaning {
    if (!this.hasRow) return 'deleted'
    return this.#convert(this.row, decimals, this.#findUnavailable()) ? 'deleted' : this.#unreadable()
  }

  #unreadable(): DebeziumMeaning {
    const { exceeded } = this.#decimals
    if (exceeded === undefined) return { rejected: 'a decimal in it cannot be read as its schema says' }
    return { rejected: `its decimals make more than ${exceeded} bytes of JSON (beyond max_request_bytes)` }
  }

  /** Fills `columns` for `row`. @returns their slots, in ascending order */
  #findUnavailable(): readonly number[] {
    const { bytes, members } = this.row
    const slots = this.#unavailableSlots
    slots.length = this.columns.length = 0
    this.#unavailable.find(this.row, slots)
    for (const slot of slots) this.columns.push(memberName(bytes, members, slot))
    return slots
  }

  /** Puts texts in the place of a row's decimals, and null in that of its columns without a known value. The row is then that of a buffer of
   *  its own.
   *  @param nulls slots of those columns, in ascending order
   *  @param isNamed whether they are `columns`, and named in a column of their own
   *  @returns whether all decimals could be read */
  #convert(row: RecordData, decimals: Decimals | undefined, nulls: readonly number[] = [], isNamed = false): boolean {
    const { patches } = this.#decimals
    this.#decimals.begin()
    // a row with such a column is not empty, so a member follows
    if (isNamed) patches.add(row.from + 1, row.from + 1, `"${UNAVAILABLE.text}":${JSON.stringify(this.columns)},`)
    if (!this.#patchColumns(row, decimals, nulls)) return false
    if (patches.isEmpty) return true
    const bytes = patches.apply(row.bytes, row.from, row.to)
    row.locate(this.#unwrapper.scanner, bytes, 0, bytes.length, row.first)
    return true
  }

  #patchColumns(row: RecordData, decimals: Decimals | undefined, nulls: readonly number[]): boolean {
    const { bytes, members, first, count } = row
    const fields = decimals?.kind === 'struct' ? decimals.fields : undefined
    if (!fields && nulls.length === 0) return true
    for (let slot = first * STRIDE, next = 0; slot < (first + count) * STRIDE; slot += STRIDE) {
      const from = members[slot + VALUE_FROM]!
      const to = members[slot + VALUE_TO]!
      if (slot === nulls[next]) {
        next++
        this.#decimals.patches.add(from, to, 'null')
        continue
      }
      const inside = fields?.get(memberName(bytes, members, slot))
      if (inside && !this.#decimals.patch(bytes, from, to, inside)) return false
    }
    return true
  }

  /** The decimals that the schema has for a member of the envelope. */
  #fieldDecimals(name: 'before' | 'after'): Decimals | undefined {
    const { decimals } = this.#unwrapper
    return decimals?.kind === 'struct' ? decimals.fields.get(name) : undefined
  }

  /** @returns whether the member is an object */
  #into(name: 'before' | 'after', row: RecordData): boolean {
    const { scanner, object } = this.#unwrapper
    const slot = this.#shapes.slot(name)
    return slot !== ABSENT && row.locateMember(scanner, object, slot)
  }
}
