// Samples records, so many of each partition, and finds what `stream --check` says of those of a topic, of which a dry run warns too. Judges
// them by the items that they become, and shows no data.

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

/** Most records of all partitions together; but of each partition at least FEWEST_RECORDS, however many there are. */
const MOST_RECORDS = 20_000
const FEWEST_RECORDS = 20
/** Bytes of the sampled keys and values, from which on no more records are sampled. */
const MOST_BYTES = 32 * 1024 * 1024

/** How many records of each of so many partitions are sampled. */
export function shareOf(partitions: number): number {
  return Math.max(FEWEST_RECORDS, Math.floor(MOST_RECORDS / partitions))
}

interface RecordSamplesOptions {
  /** Most records of each partition. */
  readonly perPartition: number
  /** Whether reading goes on behind a record at which a policy would end a run: it is then counted. */
  readonly goesOnAfterStop: boolean
  /** How many partitions the topic has, read or not. */
  partitionsOf(topic: string): number
}

/** Samples of all topics of a run. */
export class RecordSamples implements RecordSampler {
  readonly #options: RecordSamplesOptions
  readonly #topics = new Map<string, TopicSample>()
  /** How many records of a partition may still be sampled, by `partitionName`. */
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
    const left = this.#leftOf.get(name) ?? this.#options.perPartition
    if (left === 0) return
    this.#leftOf.set(name, left - 1)
    this.#bytes += (stored.key?.length ?? 0) + (stored.value?.length ?? 0)
    this.of(topic).record(sampled)
  }

  stopped(topic: MappedTopic, error: unknown): boolean {
    if (!this.#options.goesOnAfterStop || !(error instanceof ConnectorError)) return false
    this.of(topic).stopped(error)
    return true
  }

  /** Doubts about these records of which a run itself would say nothing. */
  get doubts(): Coded[] {
    return [...this.#topics.values()].flatMap((sample) => sample.doubts)
  }
}

/** How often something was found, and in words what it was the first time. */
interface Tally {
  count: number
  first: string
}

/** How many records a run would have to end at before the check fails for them: fewer may be a producer's first tries. */
const FEWEST_ENDS = 3

/** The sample of one topic. */
export class TopicSample {
  records = 0
  readonly #topic: MappedTopic
  readonly #rejected: Tally = { count: 0, first: '' }
  readonly #policyStops: Tally & { code?: Code | undefined } = { count: 0, first: '' }
  readonly #base64Columns = new Base64Columns()
  readonly #order: RowOrder
  #stored = 0
  /** Counts of plain keys (each becomes `field`) whose type is not configured, by the type that they seem to have; binary: of integers. */
  readonly #keyTypes = { numbers: 0, texts: 0, binary: 0, field: '' }

  /** @param partitions how many the topic has, read or not */
  constructor(topic: MappedTopic, partitions: number) {
    this.#topic = topic
    this.#order = new RowOrder(topic, partitions)
  }

  record(sampled: SampledRecord): void {
    const { stored, item } = sampled
    this.records++
    this.#countKeyType(stored.key, item?.table)
    if (item?.kind === 'record') {
      this.#stored++
      this.#noteRow(sampled, item)
    } else if (item) {
      const hint = item.hint === undefined ? '' : ` ${item.hint}`
      note(this.#rejected, `partition ${sampled.from.partition}, offset ${stored.offset}: ${item.reason}.${hint}`)
    }
  }

  #noteRow(sampled: SampledRecord, item: RecordItem<KafkaOrigin>): void {
    const { encoding, entry } = this.#topic
    const row = rowOf(item)
    const { value } = sampled.read
    const knowsDecimals =
      hasSchema(value) || encoding?.knowsDecimals(sampled.stored, sampled.schemas as KnownSchemas) === true
    if (entry.format === 'debezium' && !knowsDecimals) this.#base64Columns.note(row)
    this.#order.note(sampled, item, row)
  }

  /** Counts a key that is to be one value, of a type that the config leaves open. */
  #countKeyType(key: Buffer | null, table: Table | undefined): void {
    const { mapper, entry } = this.#topic
    const { keys, keyEncoding } = table ? mapper.rulesOf(table) : entry
    if (key === null || keyEncoding !== 'text' || keys.from !== 'key') return
    if (keys.field === undefined || keys.type !== undefined) return
    const types = this.#keyTypes
    types.field = keys.field
    if (isBinaryInteger(key)) types.binary++
    else if (key.length <= LONGEST_INTEGER && INTEGER.test(key.toString('latin1'))) types.numbers++
    else types.texts++
  }

  stopped({ code, message }: ConnectorError): void {
    this.records++
    this.#policyStops.code ??= code
    // without the advice to run the check, which is what the user does
    note(this.#policyStops, message.replace(/ stream --check [^.]*\.$/, ''))
  }

  /** Whether every sampled record that is not ignored would end a run.
   *  @param keepsLetters whether dead letters are kept */
  endsAtAny(keepsLetters: boolean): boolean {
    const [rejected, stops] = [this.#rejected.count, this.#policyStops.count]
    const ends = stops + (keepsLetters ? 0 : rejected)
    return ends >= FEWEST_ENDS && ends === this.#stored + rejected + stops
  }

  /** Says which records a run would reject, or end at.
   *  @param keepsLetters whether dead letters are kept */
  rejections(keepsLetters: boolean): Coded[] {
    const [rejected, stops] = [this.#rejected, this.#policyStops]
    const first = `the first is in ${rejected.first}`
    const cannot = keepsLetters
      ? `${this.#of(rejected.count)} cannot be stored; ${first} They would become dead letters.`
      : `stream would stop at ${this.#of(rejected.count)}, which cannot be stored; ${first} Correct the options of the topic or its producer, or set dead_letters.`
    const ends = `stream would stop at ${this.#of(stops.count)}, by its policies; the first: ${stops.first}`
    return [
      ...this.#coded('record.rejected', rejected.count > 0 ? [cannot] : []),
      ...this.#coded(stops.code ?? 'record.rejected', stops.count > 0 ? [ends] : []),
    ]
  }

  get doubts(): Coded[] {
    return [
      ...this.#coded('record.not-routed', [...this.#lackingDoubts(), ...this.#unlistedDoubts()]),
      ...this.#coded('topic.warning', this.#otherDoubts()),
    ]
  }

  #coded(code: Code, texts: Iterable<string>): Coded[] {
    return Array.from(texts, (text) => ({ code, text: `Topic ${JSON.stringify(this.#topic.name)}: ${text}` }))
  }

  /** The doubt about a route that finds a table for no record, as all lack what is to name it; `names` are those that all have instead. */
  *#lackingDoubts(): Generator<string> {
    const { route } = this.#topic.mapper
    // `rejections` says so already
    if (this.#policyStops.code === 'record.not-routed') return
    // where some records have a table, the option `others` says what becomes of those without
    if (!route || route.unrouted.unlisted.size > 0 || [...route.counts.values()].some(({ records }) => records > 0))
      return
    const { records, names = [] } = route.unrouted.lacking
    if (records === 0) return
    const have = names.length === 0 ? '' : `; all have ${shownNames(names)}`
    yield `none of ${counted(records, 'sampled record')} has a ${route.unrouted.what}, which names its table${have}.${route.unrouted.meant(names)} Correct \`route.by\`.`
  }

  /** The doubt about values of records that a route has no table for. */
  *#unlistedDoubts(): Generator<string> {
    const values = [...(this.#topic.mapper.route?.unrouted.unlisted ?? [])].toSorted(([, a], [, b]) => b - a)
    if (values.length === 0) return
    const shown = values.map(([value, count]) => `${JSON.stringify(value)} (${counted(count, 'record')})`)
    yield `its route has no table for ${shown.join(', ')}. Add those that are to be stored, or see others.`
  }

  *#otherDoubts(): Generator<string> {
    const { mapper, counts } = this.#topic
    const ignored = [...mapper.ignored.values()].reduce((sum, count) => sum + count, 0)
    const words = ignored === 1 ? 'the one sampled record is' : `all ${ignored} sampled records are`
    if (ignored > 0 && ignored >= counts.records && this.#policyStops.count === 0)
      yield `${words} ignored (${[...mapper.ignored.keys()].join(', ')}). Check its format.`
    yield* this.#order.doubts(this.records)
    const { numbers, texts, binary, field } = this.#keyTypes
    if (binary > 0)
      yield `${this.#of(binary)} have a record key of 4 or 8 bytes that begins with 0, as serialisers of integers write it: such keys become control characters, or are rejected. Let its producer write them as text, or take keys from the value.`
    if (numbers > 0 && texts > 0)
      yield `${this.#of(numbers)} have a record key that is a whole number, and ${texts} one that is a text. If all are texts, set keys: { key: ${JSON.stringify(field)}, type: text }; set on a topic that was read, it makes other rows.`
    const { names } = this.#base64Columns
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
/** Characters in base64 of a decimal of 48 bytes, which is longer than the usual ones of any database. */
const LONGEST_DECIMAL = 64
const MOST_COLUMNS = 1000

/** Finds columns of Debezium rows that look like decimals which cannot be read any more: base64, without the schema that says so
 *  (docs/formats.md#debezium). */
class Base64Columns {
  /** Columns with a value that ends as only base64 does. All values may be base64, but words of four letters look so too. */
  readonly #suspected = new Set<string>()
  /** Columns with a value that is no base64. */
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
