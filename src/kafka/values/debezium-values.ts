// Interprets Debezium records, with or without schema, in their envelopes or flattened: a row, a deleted row, or something else. Decimals
// become texts if there is a schema. Columns whose value Debezium did not see (unavailable ones, for which it writes a placeholder) are
// found, and made null if configured. See formats.md#debezium.

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
/** The beginning of the names of heartbeats' topics, and the only member of a heartbeat's key. */
const HEARTBEAT_TOPICS = '__debezium-heartbeat'
const SERVER_NAME = '"serverName"'

/** The meaning of a record. row: one to write. deleted: one that is gone. tombstone: nothing but the key. truncated: all rows of the table are
 *  gone. unavailable: a row with unavailable columns, which are not to become null. */
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

/** Reads the values of one topic. `read` says what a record is; everything else is about the record read last. A slot is the place of a
 *  member in `members`: VALUE_FROM and VALUE_TO behind it are where its value begins and ends. */
export class DebeziumValues {
  /** The row where `read` said `row`, `deleted` or `unavailable`. Of a deleted row only the key is reliable. One that is `unavailable` is
   *  not to be sent, and has its decimals as they came. */
  readonly row = new RecordData()
  /** Whether `row` is filled: nothing may be known of a deleted row. */
  hasRow = false
  /** Whether the record read last is an update. */
  isUpdate = false
  /** Names of the unavailable columns. */
  readonly columns: string[] = []
  readonly #makesNull: boolean
  readonly #unavailable: ReturnType<typeof unavailableColumns>
  readonly #isHeartbeatTopic: boolean
  readonly #unwrapper = new Unwrapper()
  readonly #shapes = new DebeziumShapes()
  readonly #decimals: DecimalColumns
  /** Slots of `columns` in the row, filled again for each record. */
  readonly #unavailableSlots: number[] = []
  readonly #before = new RecordData()
  readonly #source = new RecordData()
  readonly #names = new NamedMembers(['db', 'schema', 'table'])
  /** For `#source`, with room for its members. */
  readonly #scanner = new Scanner(32)
  /** Whether the record read last is an envelope: only that has `before` and `source`. */
  #isEnvelope = false

  /** @param makesNull whether an unavailable column becomes null, named in a column `__unavailable`; if not, `read` says `unavailable`
   *  @param mostCharacters that the texts of one record's decimals may have (`DecimalColumns`)
   *  @param placeholder what Debezium writes for an unavailable value: a text, or `hex:` and its bytes */
  constructor(topic: string, makesNull: boolean, mostCharacters?: number, placeholder: string = UNAVAILABLE_VALUE) {
    this.#makesNull = makesNull
    this.#unavailable = unavailableColumns(placeholder)
    this.#decimals = new DecimalColumns(mostCharacters)
    this.#isHeartbeatTopic = topic.startsWith(HEARTBEAT_TOPICS)
  }

  read(value: Buffer, key: Buffer | null): DebeziumMeaning {
    this.hasRow = true
    this.isUpdate = false
    const unwrapper = this.#unwrapper
    const reason = unwrapper.read(value)
    if (reason !== undefined) return { rejected: `its value ${reason}` }
    if (unwrapper.payload === 'null') return 'tombstone'
    if (unwrapper.payload === 'scalar') return { rejected: 'its payload is not an object' }
    const shape = this.#shapes.classify(unwrapper.object)
    this.#isEnvelope = shape === 'envelope'
    if (shape === 'envelope') return this.#envelope()
    // with another topic and key it is no heartbeat, but a row with only the column that heartbeats have
    if (shape === 'heartbeat' && !this.#isHeartbeatTopic && !key?.includes(SERVER_NAME)) return this.#flat()
    return shape === 'flat' ? this.#flat() : IGNORED[shape]
  }

  /** The row as it was before the update read last, valid until the next `read` (of a delete it is `row` itself). `undefined` when the
   *  record does not hold it, or a decimal in it cannot be read. */
  before(): RecordData | undefined {
    if (!this.#isEnvelope || this.#shapes.type('before') !== 'object') return undefined
    const { scanner, object } = this.#unwrapper
    const { row } = this
    const from = object.members[this.#shapes.slot('before') + VALUE_FROM]!
    const to = object.members[this.#shapes.slot('before') + VALUE_TO]!
    this.#before.locate(scanner, object.bytes, from, to, row.first + row.count)
    // the new members went behind those of `row` into the scanner's table, in place of which there may be a larger one now
    row.members = scanner.members
    return this.#convert(this.#before, this.#fieldDecimals('before')) ? this.#before : undefined
  }

  /** The changed table's name, with its schema or else its database and a dot before it. `undefined` when it is not known. */
  source(): string | undefined {
    const { object } = this.#unwrapper
    const slot = this.#shapes.slot('source')
    if (!this.#isEnvelope || this.#shapes.type('source') !== 'object') return undefined
    const { members } = object
    this.#source.locate(this.#scanner, object.bytes, members[slot + VALUE_FROM]!, members[slot + VALUE_TO]!)
    this.#names.find(this.#source)
    const [db, schema, table] = Array.from(this.#names.slots, (member) => memberText(this.#source, member) || undefined)
    const namespace = schema ?? db
    return table === undefined || namespace === undefined ? undefined : `${namespace}.${table}`
  }

  #envelope(): DebeziumMeaning {
    const shapes = this.#shapes
    // create, update, read (of a snapshot), delete, truncate, message
    const op = shapes.text('op')
    this.isUpdate = op === 'u'
    switch (op) {
      case undefined:
        return { rejected: 'its op is not a string' }
      case 'c':
      case 'u':
      case 'r':
        if (!this.#locateRow('after', this.row))
          return shapes.type('after') === 'text' ? MONGODB : { rejected: 'its after is not an object' }
        return this.#liveRow(this.#fieldDecimals('after'))
      case 'd':
        this.hasRow = this.#locateRow('before', this.row)
        if (!this.hasRow && shapes.type('before') !== 'none' && shapes.type('before') !== 'null')
          return shapes.type('before') === 'text' ? MONGODB : { rejected: 'its before is not an object' }
        return this.#deletedRow(this.#fieldDecimals('before'))
      case 't':
        return 'truncated'
      case 'm':
        return IGNORED.message
      default:
        return { rejected: 'its op is none of c, u, d, r, t and m' }
    }
  }

  /** The meaning of a payload that is itself the row. */
  #flat(): DebeziumMeaning {
    const { object, scanner, decimals } = this.#unwrapper
    this.row.hold(scanner, object.bytes, object.from, object.to, object.first)
    if (this.#shapes.times('__deleted') > 1) return { rejected: 'its "__deleted" occurs twice' }
    const isDeleted = this.#isMarkedDeleted()
    if (isDeleted === undefined) return { rejected: 'its "__deleted" is neither true nor false' }
    return isDeleted ? this.#deletedRow(decimals) : this.#liveRow(decimals)
  }

  /** Whether a flattened row is marked as deleted. `undefined` when the mark is invalid. */
  #isMarkedDeleted(): boolean | undefined {
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

  #liveRow(decimals: Decimals | undefined): DebeziumMeaning {
    const unavailable = this.#findUnavailable()
    const hasUnavailable = unavailable.length > 0
    if (hasUnavailable && !this.#makesNull) return 'unavailable'
    const { bytes, members, first, count } = this.row
    if (hasUnavailable && lastMember(bytes, members, first, count, UNAVAILABLE) !== ABSENT)
      return { rejected: 'it has a column "__unavailable", where columns without value would be named' }
    return this.#convert(this.row, decimals, unavailable, hasUnavailable) ? 'row' : this.#unreadable()
  }

  #deletedRow(decimals: Decimals | undefined): DebeziumMeaning {
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

  /** Replaces a row's decimals by texts, and its unavailable columns by null. A row that this changes gets a buffer of its own.
   *  @param nulls slots of the unavailable columns, in ascending order
   *  @param isNamed whether their names (`columns`) are put into a column `__unavailable`
   *  @returns whether all decimals could be read */
  #convert(row: RecordData, decimals: Decimals | undefined, nulls: readonly number[] = [], isNamed = false): boolean {
    const { patches } = this.#decimals
    this.#decimals.begin()
    // behind the opening brace; a member follows, as a row with an unavailable column is not empty
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
      const within = fields?.get(memberName(bytes, members, slot))
      if (within && !this.#decimals.patch(bytes, from, to, within)) return false
    }
    return true
  }

  /** The decimals that the schema has for a member of the envelope. */
  #fieldDecimals(name: 'before' | 'after'): Decimals | undefined {
    const { decimals } = this.#unwrapper
    return decimals?.kind === 'struct' ? decimals.fields.get(name) : undefined
  }

  /** Makes `row` that member of the envelope. @returns whether it is an object */
  #locateRow(name: 'before' | 'after', row: RecordData): boolean {
    const { scanner, object } = this.#unwrapper
    const slot = this.#shapes.slot(name)
    return slot !== ABSENT && row.locateMember(scanner, object, slot)
  }
}
