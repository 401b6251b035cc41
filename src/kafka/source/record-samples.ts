// Samples of records, by the items they become: how many of each partition, and for each topic what `stream --check` says of them, and a
// dry run warns of. No data is shown.

import type { Code, Coded } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { RecordItem, Table } from '../../core/types.ts'
import { counted } from '../../text/figures.ts'
import { parseJson } from '../../json/true-names.ts'
import { shownNames } from '../../mapping/missing-field.ts'
import { columnsInWords } from '../topics/record-outcome.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import { INTEGER, isBinaryInteger, LONGEST_INTEGER } from '../values/record-keys.ts'
import type { RecordSampler, SampledRecord } from './batch-items.ts'
import { partitionName, type KafkaOrigin } from './kafka-origin.ts'
import { RowOrder, type SampledRow } from './row-order.ts'
import type { MappedTopic } from './stream-topics.ts'

/** Records of a sample: of all partitions, and of one even where there are many. */
const ALL_RECORDS = 20_000
const FEWEST_RECORDS = 20
/** Bytes of their keys and values, from which on no more are sampled. */
const MOST_BYTES = 32 * 1024 * 1024

/** How many records of each partition are sampled. */
export function shareOf(partitions: number): number {
  return Math.max(FEWEST_RECORDS, Math.floor(ALL_RECORDS / partitions))
}

interface RecordSamplesOptions {
  /** Records of each partition. */
  readonly records: number
  /** Records that a policy stops at are counted, and reading goes on behind them. */
  readonly goesOn: boolean
  /** How many there are, read or not. */
  partitionsOf(topic: string): number
}

/** Samples of all topics of a run. */
export class RecordSamples implements RecordSampler {
  readonly #options: RecordSamplesOptions
  readonly #topics = new Map<string, TopicSample>()
  /** How many records of a partition may still be sampled, by its name. */
  readonly #leftOf = new Map<string, number>()
  #bytes = 0

  constructor(options: RecordSamplesOptions) {
    this.#options = options
  }

  /** Whether no more records are sampled. */
  get isEnough(): boolean {
    return this.#bytes >= MOST_BYTES
  }

  of(topic: MappedTopic): TopicSample {
    const known = this.#topics.get(topic.name) ?? new TopicSample(topic, this.#options.partitionsOf(topic.name))
    this.#topics.set(topic.name, known)
    return known
  }

  record(topic: MappedTopic, sampled: SampledRecord): void {
    if (this.isEnough) return
    const { stored, from } = sampled
    const name = partitionName(from)
    const left = this.#leftOf.get(name) ?? this.#options.records
    if (left === 0) return
    this.#leftOf.set(name, left - 1)
    this.#bytes += (stored.key?.length ?? 0) + (stored.value?.length ?? 0)
    this.of(topic).record(sampled)
  }

  stopped(topic: MappedTopic, error: unknown): boolean {
    if (!this.#options.goesOn || !(error instanceof ConnectorError)) return false
    this.of(topic).stopped(error)
    return true
  }

  /** Doubts that a run would not tell of these records by itself. */
  get doubts(): Coded[] {
    return [...this.#topics.values()].flatMap((sample) => sample.doubts)
  }
}

/** How often, and what came first, in words. */
interface Tally {
  count: number
  first: string
}

/** Records that a run would end at, from which on they are held against it: fewer may be a producer's first tries. */
const FEWEST_ENDS = 3

/** The sample of one topic. */
export class TopicSample {
  records = 0
  readonly #topic: MappedTopic
  readonly #rejected: Tally = { count: 0, first: '' }
  readonly #stops: Tally & { code?: Code | undefined } = { count: 0, first: '' }
  readonly #columns = new Base64Columns()
  readonly #order: RowOrder
  #stored = 0
  /** Plain keys whose type is guessed: whole numbers, texts, and what serialisers of integers make. */
  readonly #guessed = { numbers: 0, texts: 0, binary: 0, field: '' }

  /** @param partitions how many there are, read or not */
  constructor(topic: MappedTopic, partitions: number) {
    this.#topic = topic
    this.#order = new RowOrder(topic, partitions)
  }

  record(sampled: SampledRecord): void {
    const { stored, item } = sampled
    this.records++
    this.#guess(stored.key, item?.table)
    if (item?.kind === 'record') {
      this.#stored++
      this.#noteRow(sampled, item)
    } else if (item)
      note(
        this.#rejected,
        `partition ${sampled.from.partition}, offset ${stored.offset}: ${item.reason}.${item.hint === undefined ? '' : ` ${item.hint}`}`,
      )
  }

  #noteRow(sampled: SampledRecord, item: RecordItem<KafkaOrigin>): void {
    const { encoding, entry } = this.#topic
    const row = rowOf(item)
    const { value } = sampled.read
    const knowsDecimals =
      hasSchema(value) || encoding?.knowsDecimals(sampled.stored, sampled.schemas as KnownSchemas) === true
    if (entry.format === 'debezium' && !knowsDecimals) this.#columns.note(row)
    this.#order.note(sampled, item, row)
  }

  #guess(key: Buffer | null, table: Table | undefined): void {
    const { mapper, entry } = this.#topic
    const { keys, keyEncoding } = table ? mapper.rulesOf(table) : entry
    if (key === null || keyEncoding !== 'text' || keys.from !== 'key') return
    if (keys.field === undefined || keys.type !== undefined) return
    const guessed = this.#guessed
    guessed.field = keys.field
    if (isBinaryInteger(key)) guessed.binary++
    else if (INTEGER.test(key.toString('latin1', 0, LONGEST_INTEGER + 1))) guessed.numbers++
    else guessed.texts++
  }

  stopped({ code, message }: ConnectorError): void {
    this.records++
    this.#stops.code ??= code
    note(this.#stops, message.replace(/ stream --check [^.]*\.$/, ''))
  }

  /** Whether a run would not get past its first record that is not ignored, whichever that is.
   *  @param keepsLetters whether dead letters are kept */
  endsAtAny(keepsLetters: boolean): boolean {
    const [rejected, stops] = [this.#rejected.count, this.#stops.count]
    const ends = stops + (keepsLetters ? 0 : rejected)
    return ends >= FEWEST_ENDS && ends === this.#stored + rejected + stops
  }

  /** Rejections: what a run would end at or reject.
   *  @param keepsLetters whether dead letters are kept */
  rejections(keepsLetters: boolean): Coded[] {
    const [rejected, stops] = [this.#rejected, this.#stops]
    const first = `the first is in ${rejected.first}`
    const cannot = keepsLetters
      ? `${this.#of(rejected.count)} cannot be stored; ${first} They would become dead letters.`
      : `stream would stop at ${this.#of(rejected.count)}, which cannot be stored; ${first} Correct the options of the topic or its producer, or set dead_letters.`
    const ends = `stream would stop at ${this.#of(stops.count)}, by its policies; the first: ${stops.first}`
    return [
      ...this.#said('record.rejected', rejected.count > 0 ? [cannot] : []),
      ...this.#said(stops.code ?? 'record.rejected', stops.count > 0 ? [ends] : []),
    ]
  }

  get doubts(): Coded[] {
    return [
      ...this.#said('record.not-routed', [...this.#lacking(), ...this.#unlisted()]),
      ...this.#said('topic.warning', this.#odd()),
    ]
  }

  #said(code: Code, texts: Iterable<string>): Coded[] {
    return Array.from(texts, (text) => ({ code, text: `Topic ${JSON.stringify(this.#topic.name)}: ${text}` }))
  }

  *#lacking(): Generator<string> {
    const { route } = this.#topic.mapper
    // the record that a run stops at says it
    if (this.#stops.code === 'record.not-routed') return
    // where some records have a table, others says what becomes of those without
    if (!route || route.unrouted.unlisted.size > 0 || [...route.counts.values()].some(({ records }) => records > 0))
      return
    const { records, names = [] } = route.unrouted.lacking
    if (records === 0) return
    const have = names.length === 0 ? '' : `; all have ${shownNames(names)}`
    yield `none of ${counted(records, 'sampled record')} has a ${route.unrouted.what}, which names its table${have}.${route.unrouted.meant(names)} Correct \`route.by\`.`
  }

  *#unlisted(): Generator<string> {
    const values = [...(this.#topic.mapper.route?.unrouted.unlisted ?? [])].toSorted(([, a], [, b]) => b - a)
    if (values.length === 0) return
    const shown = values.map(([value, count]) => `${JSON.stringify(value)} (${counted(count, 'record')})`)
    yield `its route has no table for ${shown.join(', ')}. Add those that are to be stored, or see others.`
  }

  *#odd(): Generator<string> {
    const { mapper, counts } = this.#topic
    const all = [...mapper.ignored.values()].reduce((sum, count) => sum + count, 0)
    const words = all === 1 ? 'the one sampled record is' : `all ${all} sampled records are`
    if (all > 0 && all >= counts.records && this.#stops.count === 0)
      yield `${words} ignored (${[...mapper.ignored.keys()].join(', ')}). Check its format.`
    yield* this.#order.doubts(this.records)
    const { numbers, texts, binary, field } = this.#guessed
    if (binary > 0)
      yield `${this.#of(binary)} have a record key of 4 or 8 bytes that begins with 0, as serialisers of integers write it: such keys become control characters, or are rejected. Let its producer write them as text, or take keys from the value.`
    if (numbers > 0 && texts > 0)
      yield `${this.#of(numbers)} have a record key that is a whole number, and ${texts} one that is a text. If all are texts, set keys: { key: ${JSON.stringify(field)}, type: text }; set on a topic that was read, it makes other rows.`
    const { names } = this.#columns
    if (names.length === 0) return
    const verb = names.length === 1 ? 'looks' : 'look'
    yield `${columnsInWords(names)} ${verb} like decimals in base64, and no schema says what they are: they would be stored as these texts. Set decimal.handling.mode=string at the Debezium connector, or let its converter write schemas.`
  }

  #of(count: number): string {
    return `${count} of ${this.records} sampled records`
  }
}

function note(tally: Tally, what: string): void {
  if (tally.count++ === 0) tally.first = what
}

/** The row as it would be stored. */
function rowOf({ head, headFrom, headTo, bytes, from, to }: RecordItem<KafkaOrigin>): SampledRow {
  return parseJson(Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)]).toString()) as SampledRow
}

/** Whether Connect's converter wrote its schema along: then decimals are texts already, and base64 is something else. */
function hasSchema(value: Buffer | null): boolean {
  return value !== null && /^\s*\{\s*"schema"\s*:\s*\{/.test(value.toString('latin1', 0, 100))
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Most characters of a decimal of 48 bytes: more than any database's usual ones. */
const LONGEST_DECIMAL = 64
const MOST_COLUMNS = 1000

/** Columns of Debezium rows that look like decimals that cannot be read any more: base64, without the schema that says so
 *  (docs/formats.md#debezium). */
class Base64Columns {
  /** One of its values ends as only base64 does: words of four letters are base64 too. */
  readonly #suspected = new Set<string>()
  /** One of its values is something else. */
  readonly #cleared = new Set<string>()

  note(row: SampledRow): void {
    for (const [name, cell] of Object.entries(row)) {
      if (cell === null || this.#cleared.size + this.#suspected.size >= MOST_COLUMNS) continue
      const text = isVariableScale(cell) ? cell.value : cell
      const isBase64 = typeof text === 'string' && text.length <= LONGEST_DECIMAL && text !== '' && BASE64.test(text)
      if (!isBase64) this.#cleared.add(name)
      else if (text !== cell || text.endsWith('=')) this.#suspected.add(name)
    }
  }

  get names(): readonly string[] {
    return [...this.#suspected].filter((name) => !this.#cleared.has(name))
  }
}

function isVariableScale(cell: unknown): cell is { readonly scale: number; readonly value: string } {
  if (typeof cell !== 'object' || cell === null || Object.keys(cell).length !== 2) return false
  const { scale, value } = cell as SampledRow
  return typeof scale === 'number' && typeof value === 'string'
}
