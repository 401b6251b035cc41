// The tables of a topic that has several: which of them a record goes to (docs/routing.md).

import { isDeepStrictEqual } from 'node:util'
import type { RouteConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Table } from '../../core/types.ts'
import { ByteMap, type TextPlace } from '../../json/byte-map.ts'
import type { RecordData } from '../../json/record-data.ts'
import { topicTableName } from '../../mapping/topic-table.ts'
import { shortened } from '../../text/printable.ts'
import type { KafkaRecord } from '../types.ts'
import type { RejectedValue } from '../values/read-object.ts'
import { RouteField, routeText, utf8Of } from './route-field.ts'
import { destination, isTaken, type Destination, type TopicShared } from './topic-tables.ts'
import { UNLISTED, UNNAMED, UnroutedRecords, type NoTable } from './unrouted-records.ts'

/** Counts of a table's records, by what became of them. */
export interface TableCounts {
  records: number
  written: number
  rejected: number
}

/** A value that has a table. */
interface Listed {
  readonly to: Destination
  readonly value: string
  readonly counts: TableCounts
}

const OF_OTHER_TOPIC: RejectedValue = {
  rejected: 'its table is that of another topic: set shared_table and one keep_last for both',
}
const OF_OTHER_VALUE: RejectedValue = {
  rejected: 'its table is that of another value (compared without case): list it, with a table of its own',
}
const OTHER_KEEP_LAST: RejectedValue = {
  rejected: 'its table is that of a listed value with another keep_last: give both the same',
}
/** Characters of a value that are shown. */
const SHOWN_CHARACTERS = 200
/** Characters of a value that a table is made for. */
const LONGEST_VALUE = 200

export class TopicRoute {
  /** Destinations that are listed, and those made for a value since. */
  readonly all: Destination[] = []
  /** The same by the table's name, in small letters. */
  readonly #byTable = new Map<string, readonly Destination[]>()
  /** Counts by table, of which there may be several values. */
  readonly counts = new Map<Table, TableCounts>()
  /** Counts of records that have no table. */
  readonly rest: TableCounts = { records: 0, written: 0, rejected: 0 }
  /** The listed value, with its destination, of the last record. `undefined` when there was none. */
  found: Listed | undefined
  /** The value by which the last record said its table, shortened. `undefined` when there was none. */
  value: string | undefined
  readonly unrouted: UnroutedRecords
  readonly #byValue = new ByteMap<Listed>()
  readonly #topic: string
  readonly #entry: TopicConfig
  readonly #route: RouteConfig
  readonly #shared: TopicShared
  readonly #made: () => void
  readonly #field: RouteField | undefined
  /** How many tables may still be made. */
  #left: number

  /** @param made called when there is one more table, from within `look`
   *  @throws ConnectorError config when its options do not identify a table's rows */
  constructor(topic: string, entry: TopicConfig, route: RouteConfig, shared: TopicShared, made: () => void) {
    this.#topic = topic
    this.#entry = entry
    this.#route = route
    this.#shared = shared
    this.#made = made
    this.#left = route.any?.most ?? 0
    const { by } = route
    this.#field = by.field && new RouteField(by.field, shared.space.scanner)
    this.unrouted = new UnroutedRecords(topic, route, this.#field)
    for (const [value, rules] of route.tables) this.#add(value, rules)
  }

  /** Forgets the record before: to be called for each record, before its table is looked for. */
  begin(): void {
    this.found = this.value = undefined
  }

  /** Finds the table of a record.
   *  @param row `undefined` when it has none, or none is known
   *  @param origin the stream or source table that its format names */
  look(record: KafkaRecord, row?: RecordData, origin?: string): Destination | RejectedValue | NoTable {
    const place = this.#read(record, row, origin)
    if (place === undefined) return UNNAMED
    if ('rejected' in place) return place
    const known = this.#byValue.get(place)
    if (known) return this.#take(known)
    // a header is any bytes
    const text = this.#route.by.header === undefined ? routeText(place) : place.bytes.toString()
    this.value = shortened(text, SHOWN_CHARACTERS)
    if (this.#left > 0 && this.#isForAny(place)) {
      const made = this.#makeTable(text)
      return 'rejected' in made ? made : this.#take(made)
    }
    this.unrouted.countUnlisted(this.value)
    return UNLISTED
  }

  /** Whether an old row says of which table it was or that it was of none, or need not: only a field of a row changes with it. */
  tellsTable(row: RecordData | undefined): boolean {
    return !this.#field || (row !== undefined && this.#field.isIn(row))
  }

  /** Why an update is rejected: its old row would stay in another table, as far as a field of the row says so. `undefined` when the
   *  old row was in none, or in the same.
   *  @param to where the new row goes; absent when that has no table */
  moved(old: RecordData, to?: Destination): RejectedValue | undefined {
    const place = this.#field?.read(old)
    if (!place || 'rejected' in place) return undefined
    const from = this.#byValue.get(place)?.to.table
    if (from ? from === to?.table : !this.#isForAny(place)) return undefined
    const where = from ? `"${from.name}"` : 'another one'
    return { rejected: `the update changed the field that names its table, and the old row would stay in ${where}` }
  }

  /** Whether a value that is not listed may have a table of its own. Its bytes are matched as they are: a pattern for tables matches
   *  ASCII only, a byte for each character. */
  #isForAny(place: TextPlace): boolean {
    const length = place.to - place.from
    return length > 0 && length <= LONGEST_VALUE && this.#route.any?.matching.matches(place) === true
  }

  #read(
    record: KafkaRecord,
    row: RecordData | undefined,
    origin: string | undefined,
  ): TextPlace | RejectedValue | undefined {
    if (this.#field) return row && this.#field.read(row)
    const { header, schema } = this.#route.by
    if (header === undefined) return placeOf(schema === undefined ? origin : record.schema)
    // the last header of that name
    return placeOf(record.headers.findLast(([name]) => name === header)?.[1])
  }

  #take(listed: Listed): Destination {
    const { to, value, counts } = listed
    counts.records++
    this.found = listed
    this.value = value
    return to
  }

  /** Makes the table of a value that is not listed. A process must not end because of what a producer names. */
  #makeTable(value: string): Listed | RejectedValue {
    const name = topicTableName(value, this.#shared.prefix)
    if (isTaken(this.#topic, name, this.#entry.sharedTable, this.#shared)) return OF_OTHER_TOPIC
    // only who names a table himself means it to be that of several values
    const same = this.#named(name)
    if (same.some(({ rules }) => rules.table !== name)) return OF_OTHER_VALUE
    if (same.some(({ rules }) => rules.keepLast !== this.#entry.keepLast)) return OTHER_KEEP_LAST
    try {
      const made = this.#add(value, this.#entry)
      this.#left--
      this.#made()
      return made
    } catch (error) {
      if (error instanceof ConnectorError) return OF_OTHER_TOPIC
      throw error
    }
  }

  #add(value: string, rules: TopicConfig): Listed {
    const name = rules.table ?? topicTableName(value, this.#shared.prefix)
    const same = this.#named(name)
    const known = same.find((one) => isSame(one, name, rules))
    const to = known ?? destination(this.#topic, name, rules, this.#shared)
    if (!known) {
      this.all.push(to)
      this.#byTable.set(name.toLowerCase(), [...same, to])
    }
    const counts = this.counts.get(to.table) ?? { records: 0, written: 0, rejected: 0 }
    this.counts.set(to.table, counts)
    const listed = { to, value: shortened(value, SHOWN_CHARACTERS), counts }
    // no header is a text without UTF-8
    if (this.#route.by.header === undefined || value.isWellFormed()) this.#byValue.add(utf8Of(value), listed)
    return listed
  }

  #named(name: string): readonly Destination[] {
    return this.#byTable.get(name.toLowerCase()) ?? []
  }
}

/** Values of one table and rules have one destination: what many need at once is not at hand (bench: instant-8-tables). */
function isSame({ table, rules }: Destination, name: string, other: TopicConfig): boolean {
  return table.name === name && isDeepStrictEqual({ ...rules, table: name }, { ...other, table: name })
}

function placeOf(text: Buffer | string | null | undefined): TextPlace | undefined {
  if (text == null) return undefined
  const bytes = typeof text === 'string' ? utf8Of(text) : text
  return { bytes, from: 0, to: bytes.length }
}
