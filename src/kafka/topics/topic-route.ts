// The route of a topic that has several tables: which of them a record goes to (docs/routing.md). A value of the record names its table,
// read from the place that the option `by` tells: values are listed in the config, or match its option `any`.

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

/** Counts of a table's records. `written` and `rejected` are counted by the source, once records are settled. */
export interface TableCounts {
  records: number
  written: number
  rejected: number
}

/** A value that has a table, by the config or since one was made for it. The value is shortened; the counts are the table's. */
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
/** Most characters of a value that are shown, and of one that a table is made for. */
const SHOWN_CHARACTERS = 200
const LONGEST_VALUE = 200

/** Finds the table of each record of a topic: `nextRecord`, then `look`, after which `lastListed` and `lastValue` tell what was found. */
export class TopicRoute {
  /** Destinations of listed values, and those made since for values that match `any`. */
  readonly all: Destination[] = []
  /** `all` by the table's name in small letters. */
  readonly #byTable = new Map<string, readonly Destination[]>()
  /** Counts of each table. */
  readonly counts = new Map<Table, TableCounts>()
  /** Counts of records that have no table. Its `records` stays 0: to know it, subtract those of the tables from those of the topic. */
  readonly unroutedCounts: TableCounts = { records: 0, written: 0, rejected: 0 }
  /** The value that gave the last record its table. `undefined` when it has none. */
  lastListed: Listed | undefined
  /** The value by which the last record named a table, listed or not, shortened. `undefined` when it named none. */
  lastValue: string | undefined
  readonly unrouted: UnroutedRecords
  readonly #byValue = new ByteMap<Listed>()
  readonly #topic: string
  readonly #entry: TopicConfig
  readonly #route: RouteConfig
  readonly #shared: TopicShared
  readonly #tableMade: () => void
  readonly #field: RouteField | undefined
  /** How many tables may still be made. */
  #tablesLeft: number

  /** @param tableMade called from within `look` when it has made a table
   *  @throws ConnectorError config when its options do not identify a table's rows */
  constructor(topic: string, entry: TopicConfig, route: RouteConfig, shared: TopicShared, tableMade: () => void) {
    this.#topic = topic
    this.#entry = entry
    this.#route = route
    this.#shared = shared
    this.#tableMade = tableMade
    this.#tablesLeft = route.any?.most ?? 0
    const { by } = route
    this.#field = by.field && new RouteField(by.field, shared.space.scanner)
    this.unrouted = new UnroutedRecords(topic, route, this.#field)
    for (const [value, rules] of route.tables) this.#add(value, rules)
  }

  /** Forgets the record before. */
  nextRecord(): void {
    this.lastListed = this.lastValue = undefined
  }

  /** Finds the table of a record, and counts the record there. Makes a table where `any` allows one for the value.
   *  @param row `undefined` when the record has none, or none is known
   *  @param origin the stream or source table that the record names, in a format that has those */
  look(record: KafkaRecord, row?: RecordData, origin?: string): Destination | RejectedValue | NoTable {
    const place = this.#valueOf(record, row, origin)
    if (place === undefined) return UNNAMED
    if ('rejected' in place) return place
    const listed = this.#byValue.get(place)
    if (listed) return this.#take(listed)
    // `routeText` takes bytes that begin with a mark of `utf8Of` for UTF-16; a header may be any bytes, and begin like that too
    const text = this.#route.by.header === undefined ? routeText(place) : place.bytes.toString()
    this.lastValue = shortened(text, SHOWN_CHARACTERS)
    if (this.#tablesLeft > 0 && this.#isForAny(place)) {
      const made = this.#makeTable(text)
      return 'rejected' in made ? made : this.#take(made)
    }
    this.unrouted.countUnlisted(this.lastValue)
    return UNLISTED
  }

  /** Whether an update tells in which table its old row was, if in any. Where no field names the table, it was that of the new row.
   *  @param oldRow `undefined` when the record does not hold it */
  tellsOldTable(oldRow: RecordData | undefined): boolean {
    return !this.#field || (oldRow !== undefined && this.#field.isIn(oldRow))
  }

  /** Rejects an update whose old row would stay in another table than the new one's. `undefined` when it would not, or is not known to.
   *  @param to where the new row goes. `undefined` when it has no table */
  rejectedMove(oldRow: RecordData, to?: Destination): RejectedValue | undefined {
    const place = this.#field?.read(oldRow)
    if (!place || 'rejected' in place) return undefined
    const from = this.#byValue.get(place)?.to.table
    // a value that is not listed may have had its table in an earlier process
    const stays = from ? from !== to?.table : this.#isForAny(place)
    if (!stays) return undefined
    const where = from ? `"${from.name}"` : 'another one'
    return { rejected: `the update changed the field that names its table, and the old row would stay in ${where}` }
  }

  /** Whether `any` allows a table for a value that is not listed. Its bytes are matched undecoded, for the pattern matches ASCII only. */
  #isForAny(place: TextPlace): boolean {
    const length = place.to - place.from
    return length > 0 && length <= LONGEST_VALUE && this.#route.any?.matching.matches(place) === true
  }

  /** The value by which a record names its table. `undefined` when it has none. */
  #valueOf(record: KafkaRecord, row?: RecordData, origin?: string): TextPlace | RejectedValue | undefined {
    if (this.#field) return row && this.#field.read(row)
    const { header, schema } = this.#route.by
    if (header === undefined) return placeOf(schema === undefined ? origin : record.schema)
    // the last header of that name
    return placeOf(record.headers.findLast(([name]) => name === header)?.[1])
  }

  #take(listed: Listed): Destination {
    const { to, value, counts } = listed
    counts.records++
    this.lastListed = listed
    this.lastValue = value
    return to
  }

  /** Gives a table to a value that is not listed, or rejects the record: no value that a producer writes may end the process. */
  #makeTable(value: string): Listed | RejectedValue {
    const name = topicTableName(value, this.#shared.prefix)
    if (isTaken(this.#topic, name, this.#entry.sharedTable, this.#shared)) return OF_OTHER_TOPIC
    const sameTable = this.#destinationsOf(name)
    // a table is shared by several values only where the config writes it, with this very name, for each listed one
    if (sameTable.some(({ rules }) => rules.table !== name)) return OF_OTHER_VALUE
    if (sameTable.some(({ rules }) => rules.keepLast !== this.#entry.keepLast)) return OTHER_KEEP_LAST
    try {
      const listed = this.#add(value, this.#entry)
      // a table that the config writes is there already, and takes none of those that may still be made
      if (sameTable.length > 0) return listed
      this.#tablesLeft--
      this.#tableMade()
      return listed
    } catch (error) {
      // such as that another topic has the table with another keep_last
      if (error instanceof ConnectorError) return OF_OTHER_TOPIC
      throw error
    }
  }

  /** Gives a value its destination: that of another value with the same table and rules, or a new one. */
  #add(value: string, rules: TopicConfig): Listed {
    const name = rules.table ?? topicTableName(value, this.#shared.prefix)
    const sameTable = this.#destinationsOf(name)
    const shareable = sameTable.find((one) => servesToo(one, name, rules))
    const to = shareable ?? destination(this.#topic, name, rules, this.#shared)
    if (!shareable) {
      this.all.push(to)
      this.#byTable.set(name.toLowerCase(), [...sameTable, to])
    }
    const counts = this.counts.get(to.table) ?? { records: 0, written: 0, rejected: 0 }
    this.counts.set(to.table, counts)
    const listed = { to, value: shortened(value, SHOWN_CHARACTERS), counts }
    // a value with a lone surrogate has no UTF-8, so no header is equal to it
    if (this.#route.by.header === undefined || value.isWellFormed()) this.#byValue.add(utf8Of(value), listed)
    return listed
  }

  #destinationsOf(name: string): readonly Destination[] {
    return this.#byTable.get(name.toLowerCase()) ?? []
  }
}

/** Whether a destination serves a value with table `name` and rules `other` too. Few are faster (bench: instant-8-tables). */
function servesToo({ table, rules }: Destination, name: string, other: TopicConfig): boolean {
  return table.name === name && isDeepStrictEqual({ ...rules, table: name }, { ...other, table: name })
}

function placeOf(text: Buffer | string | null | undefined): TextPlace | undefined {
  if (text == null) return undefined
  const bytes = typeof text === 'string' ? utf8Of(text) : text
  return { bytes, from: 0, to: bytes.length }
}
