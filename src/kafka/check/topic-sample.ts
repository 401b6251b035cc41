// What a sample of a topic's records says about a run that reads it: records that would be rejected or end it, keys whose
// order the partitions don't keep, decimals nobody can read. The records become items as in a run; no data is shown.

import { rulesOf } from '../../config/stream/stream-config.ts'
import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import { fenceOf } from '../../core/key.ts'
import type { KeyAtom, RecordItem, Table } from '../../core/types.ts'
import { counted } from '../../text/figures.ts'
import { parseJson } from '../../json/true-names.ts'
import type { BatchItems } from '../source/batch-items.ts'
import type { ReadBatch } from '../source/types.ts'
import { offsetOf, recordOf } from '../source/kafka-origin.ts'
import type { KafkaOrigin, KeptRecord } from '../source/kafka-origin.ts'
import { OwnedPartition } from '../source/owned-partition.ts'
import type { MappedTopic } from '../source/stream-topics.ts'
import type { KnownSchemas } from '../topics/topic-encoding.ts'
import { columnsInWords } from '../topics/topic-rows.ts'
import type { KafkaRecord } from '../types.ts'
import { RecordKeys } from '../values/record-keys.ts'
import { warn } from './check-report.ts'
import type { CheckFinding } from './check-report.ts'

/** How often, and what came first, in words. */
interface Tally {
  count: number
  first: string
}

type Row = Readonly<Record<string, unknown>>

const SEVERAL = -1

export class TopicSample {
  records = 0
  readonly topic: MappedTopic
  readonly #partitions: number
  readonly #items: BatchItems
  readonly #rejected: Tally = { count: 0, first: '' }
  readonly #stops: Tally & { code?: Code | undefined } = { count: 0, first: '' }
  readonly #columns = new Base64Columns()
  readonly #keys = new RecordKeys()
  /** By table and key, the partition its records lie in. */
  readonly #places = new Map<Table, Map<KeyAtom, number>>()
  #torn = 0
  #keyless = 0
  #otherKeys = 0

  /** @param partitions how many there are, sampled or not
   *  @param items whose origins are whole records */
  constructor(topic: MappedTopic, partitions: number, items: BatchItems) {
    this.topic = topic
    this.#partitions = partitions
    this.#items = items
  }

  /** A run would end at the first record that a policy stops at; this goes on behind it.
   *  @param batch with the schemas that its records name */
  look(batch: ReadBatch): void {
    const owned = new OwnedPartition({ ...batch, offset: 0n }, this.topic.counts)
    owned.fetched(batch, 0)
    while (owned.taken < batch.records.length) {
      try {
        for (const chunk of this.#items.of(owned))
          for (const item of chunk) {
            if (item.kind === 'record') this.#place(batch, item)
            else if (item.kind === 'rejected') note(this.#rejected, placed(batch, item.origin, item.reason))
          }
      } catch (error) {
        if (!(error instanceof ConnectorError)) throw error
        this.#stops.code ??= error.code
        note(this.#stops, error.message)
        owned.taken++
      }
    }
  }

  /** @param divert whether dead letters are kept */
  findings(divert: boolean): CheckFinding[] {
    if (this.records === 0) return []
    const said = (code: Code, texts: readonly string[]): CheckFinding[] =>
      texts.map((text) => warn(code, `Topic ${JSON.stringify(this.topic.name)}: ${text}`))
    return [
      ...said('record.rejected', this.#rejections(divert)),
      ...said(this.#stops.code ?? 'record.rejected', this.#ends()),
      ...said('record.not-routed', this.#unlisted()),
      ...said('topic.warning', [...this.#useless(), ...this.#order(), ...this.#decimals()]),
    ]
  }

  #place({ partition, schemas }: ReadBatch, item: RecordItem<KafkaOrigin>): void {
    const { encoding, entry } = this.topic
    const stored = recordOf(item.origin as KeptRecord)
    const record = (encoding?.read(stored, schemas as KnownSchemas) ?? stored) as KafkaRecord
    const row = rowOf(item)
    const knowsDecimals = hasSchema(record.value) || encoding?.knowsDecimals(stored, schemas as KnownSchemas) === true
    if (entry.format === 'debezium' && !knowsDecimals) this.#columns.note(row)
    const key = fenceOf(item.key)
    const { keys } = this.topic.mapper.rulesOf(item.table)
    if (key === undefined || keys.from === 'offset') return
    const places = this.#places.get(item.table) ?? new Map<KeyAtom, number>()
    this.#places.set(item.table, places)
    const known = places.get(key)
    if (known === undefined) places.set(key, partition)
    else if (known !== partition && known !== SEVERAL) {
      places.set(key, SEVERAL)
      this.#torn++
    }
    if (keys.from === 'key') return
    const isDecoded = encoding?.reads('key') === true
    if (record.key === null) this.#keyless++
    // a run reads no schemas of keys that it does not need
    else if (entry.keyEncoding === 'registry' && !isDecoded) return
    else if (!fitsRow(this.#keys, record.key, row, isDecoded)) this.#otherKeys++
  }

  #rejections(divert: boolean): string[] {
    const { count, first } = this.#rejected
    if (count === 0) return []
    const fate = divert
      ? 'They would become dead letters.'
      : 'The first would end the run: correct its producer, or set dead_letters.'
    return [`${this.#of(count)} cannot be stored; the first is in ${first}. ${fate}`]
  }

  #ends(): string[] {
    const { count, first } = this.#stops
    return count > 0 ? [`${this.#of(count)} would end the run by its policies; the first: ${first}`] : []
  }

  #unlisted(): string[] {
    const values = [...(this.topic.mapper.route?.unlisted ?? [])].toSorted(([, a], [, b]) => b - a)
    if (values.length === 0) return []
    const shown = values.map(([value, count]) => `${JSON.stringify(value)} (${counted(count, 'record')})`)
    return [`its route has no table for ${shown.join(', ')}. Add those that are to be stored, or see others.`]
  }

  #useless(): string[] {
    const { ignored } = this.topic.mapper
    if ([...ignored.values()].reduce((sum, count) => sum + count, 0) < this.records) return []
    const all = this.records === 1 ? 'the one sampled record is' : `all ${this.records} sampled records are`
    return [`${all} ignored (${[...ignored.keys()].join(', ')}). Check its format.`]
  }

  #order(): string[] {
    const { entry } = this.topic
    const key = "the row's key as record key"
    const sampled = [...this.#places.values()].reduce((sum, { size }) => sum + size, 0)
    if (this.#torn > 0)
      return [
        `${this.#torn} of ${sampled} sampled keys have records in more than one partition: between partitions there is no order, so an older record of a row may win. Let its producer use ${rulesOf(entry).some(({ keys }) => keys.from === 'value') ? key : 'one partitioner'}, and write the topic again.`,
      ]
    if (this.#partitions < 2) return []
    const because = `so nothing keeps the records of a row in one partition, and an older one may win. Let its producer use ${key}.`
    const other = `have a record key of something else than the row's key, ${because} If a row's record key never changes, all is well.`
    return [
      ...(this.#keyless > 0 ? [`${this.#of(this.#keyless)} have no record key, ${because}`] : []),
      ...(this.#otherKeys > 0 ? [`${this.#of(this.#otherKeys)} ${other}`] : []),
    ]
  }

  #decimals(): string[] {
    const { names } = this.#columns
    if (names.length === 0) return []
    const verb = names.length === 1 ? 'looks' : 'look'
    return [
      `${columnsInWords(names)} ${verb} like decimals in base64, and no schema says what they are: they would be stored as these texts. Set decimal.handling.mode=string at the Debezium connector, or let its converter write schemas.`,
    ]
  }

  #of(count: number): string {
    return `${count} of ${this.records} sampled records`
  }
}

function note(tally: Tally, what: string): void {
  if (tally.count === 0) tally.first = what
  tally.count++
}

function placed({ partition }: ReadBatch, origin: KafkaOrigin, reason: string): string {
  return `partition ${partition}, offset ${offsetOf(origin)}: ${reason}`
}

/** As it would be stored. */
function rowOf({ head, headFrom, headTo, bytes, from, to }: RecordItem<KafkaOrigin>): Row {
  return parseJson(Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)]).toString()) as Row
}

/** Whether Connect's converter wrote its schema along: then decimals are texts already, and base64 is something else. */
function hasSchema(value: Buffer | null): boolean {
  return value !== null && /^\s*\{\s*"schema"\s*:\s*\{/.test(value.toString('latin1', 0, 100))
}

/** Whether a record's Kafka key is made of nothing but the key fields of its row: then all records of a row have the same
 *  Kafka key, and lie in one partition. For a warning: numbers beyond doubles may pass as equal.
 *  @param row with `keys`
 *  @param isDecoded whether a schema made JSON of the key */
export function fitsRow(keys: RecordKeys, recordKey: Buffer, row: Row, isDecoded = false): boolean {
  const kind = keys.fields(recordKey)
  if (kind === 'none') return true
  const plain = (): unknown => (isDecoded ? keys.decoded(recordKey, 'key') : keys.plain(recordKey, 'key'))
  if (kind !== 'object' && plain() !== 'object') return false
  const { bytes, from, to } = keys.object
  const own = new Set((row['keys'] as readonly string[]).map((name) => comparable(row[name])))
  return Object.values(parseJson(bytes.toString('utf8', from, to)) as Row).every((part) => own.has(comparable(part)))
}

/** 7 and "7" are the same here. */
function comparable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^-?\d+(?:\.\d+)?$/.test(text) ? String(Number(text)) : text
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Of 48 bytes: more than any database's usual decimals. */
const LONGEST = 64
const MOST_COLUMNS = 1000

/** Columns of Debezium rows that look like decimals nobody can read any more: base64, without the schema that says so
 *  (decisions.md#debezium-decimals-are-exact-texts). */
class Base64Columns {
  /** isBase64: every value but null so far is. isSure: one ends as only base64 does, for words of four letters are base64
   *  too. */
  readonly #columns = new Map<string, { isBase64: boolean; isSure: boolean }>()

  note(row: Row): void {
    for (const [name, cell] of Object.entries(row)) {
      if (cell === null) continue
      const text = isVariableScale(cell) ? cell.value : cell
      const isBase64 = typeof text === 'string' && text.length <= LONGEST && text !== '' && BASE64.test(text)
      const isSure = isBase64 && (text !== cell || text.endsWith('='))
      const seen = this.#columns.get(name)
      if (seen) {
        seen.isBase64 &&= isBase64
        seen.isSure ||= isSure
      } else if (this.#columns.size < MOST_COLUMNS) this.#columns.set(name, { isBase64, isSure })
    }
  }

  get names(): readonly string[] {
    return [...this.#columns].flatMap(([name, { isBase64, isSure }]) => (isBase64 && isSure ? [name] : []))
  }
}

function isVariableScale(cell: unknown): cell is { readonly scale: number; readonly value: string } {
  if (typeof cell !== 'object' || cell === null || Object.keys(cell).length !== 2) return false
  const { scale, value } = cell as Row
  return typeof scale === 'number' && typeof value === 'string'
}
