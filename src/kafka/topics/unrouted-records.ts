// The records of a topic with a route that have no table: how many there are, what they have where their table should be named, and what
// becomes of them. A `TopicRoute` holds one object of this; `stream --check` warns by its figures.

import type { RouteConfig } from '../../config/stream/stream-config.ts'
import type { RecordData } from '../../json/record-data.ts'
import { shownNames } from '../../mapping/missing-field.ts'
import { didYouMean } from '../../text/nearest-name.ts'
import type { KafkaRecord } from '../types.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'
import type { RouteField } from './route-field.ts'
import { policyStop } from './record-outcome.ts'

/** Why a record has no table: it names none (unnamed), or one that the route does not list (unlisted). */
export interface NoTable {
  readonly noTable: 'unnamed' | 'unlisted'
}

export const UNNAMED: NoTable = { noTable: 'unnamed' }
export const UNLISTED: NoTable = { noTable: 'unlisted' }

const NOT_ROUTED: Ignored = { ignored: 'other value' }
/** Most values without a table that are kept, and most records without a value whose names are looked at. */
const MOST_KEPT = 20
const CHOICE = 'or write `others: dead-letter` or `others: ignore` in the route'
const ADD = `Add it to \`route.tables\`, ${CHOICE}. stream --check shows the value.`
const CORRECT = `Correct \`route.by\`, ${CHOICE}.`

/** Counts the records without a table of one topic, and decides their outcome. */
export class UnroutedRecords {
  /** The first values that came and have no table, and how often each came: shown by `stream --check`, never logged. */
  readonly unlisted = new Map<string, number>()
  /** How many records name no table, and the names of fields or headers that all of the first of them had. `undefined` before the first. */
  readonly lacking: { records: number; names: readonly string[] | undefined } = { records: 0, names: undefined }
  /** Words for what names a record's table, such as `header "type"`. */
  readonly what: string
  readonly #topic: string
  readonly #route: RouteConfig
  readonly #field: RouteField | undefined

  /** @param field the one that names the table. `undefined` when something else does */
  constructor(topic: string, route: RouteConfig, field: RouteField | undefined) {
    this.#topic = topic
    this.#route = route
    this.#field = field
    this.what = whatNames(route.by)
  }

  countUnlisted(value: string): void {
    const times = this.unlisted.get(value) ?? 0
    if (times > 0 || this.unlisted.size < MOST_KEPT) this.unlisted.set(value, times + 1)
  }

  /** The outcome of a record without a table, by the policy `others`.
   *  @param row `undefined` when the record has none
   *  @throws ConnectorError config where the policy is stop */
  outcome(why: NoTable, record: KafkaRecord, partition: number, row?: RecordData): Ignored | RejectedValue {
    const [problem, remedy] =
      why === UNLISTED
        ? [`its ${this.what} names a table that its route does not list`, ADD]
        : [`it has no ${this.what}, which names its table`, this.#countLacking(record, row)]
    const { others } = this.#route
    if (others === 'ignore') return NOT_ROUTED
    if (others === 'dead-letter') return { rejected: problem }
    const place = { topic: this.#topic, partition, offset: record.offset }
    throw policyStop('record.not-routed', place, `${problem}.`, remedy)
  }

  /** Counts a record that names no table, also where its policy then leaves it out.
   *  @returns what the user can do about it, in whole sentences */
  #countLacking(record: KafkaRecord, row: RecordData | undefined): string {
    const { lacking } = this
    if (lacking.records++ >= MOST_KEPT) return CORRECT
    const names = row && this.#field ? this.#field.namesBeside(row) : record.headers.map(([name]) => name)
    lacking.names = lacking.names?.filter((name) => names.includes(name)) ?? names
    const isByName = (this.#route.by.field ?? this.#route.by.header) !== undefined
    const has = isByName && names.length > 0 ? `It has ${shownNames(names)}.` : ''
    return `${has}${this.meant(names)} ${CORRECT}`.trimStart()
  }

  /** Asks whether one of these names was meant by the field or header that the route names; '' when none is like it. */
  meant(names: readonly string[]): string {
    const { field, header } = this.#route.by
    const named = field?.at(-1) ?? header
    return named === undefined || names.includes(named) ? '' : didYouMean(named, names)
  }

  /** Words for a change of Debezium that does not tell in which table its row was, for the policy `others`: a clause, and a sentence. */
  untold(change: 'delete' | 'update'): { readonly problem: string; readonly remedy: string } {
    const problem = `the ${change} has no ${this.what}, which names its table`
    if (!this.#field) return { problem, remedy: 'Let its producer write it, or see others.' }
    const remedy = 'Let it send them (REPLICA IDENTITY FULL, binlog_row_image=FULL), or see others.'
    return { problem: `${problem}: its source sends no full row images`, remedy }
  }
}

function whatNames({ field, header, schema, stream }: RouteConfig['by']): string {
  if (field) return `text or whole number at ${JSON.stringify(field.join('.'))}`
  if (header !== undefined) return `header ${JSON.stringify(header)}`
  if (schema) return 'name of a schema'
  return stream ? 'stream' : 'source table'
}
