// What a sample of a topic's records says about a run that reads it: records that would be rejected or end it, keys whose
// order the partitions don't keep, decimals nobody can read. Tells no data. Knows no client.

import { ConnectorError } from '../../core/errors.ts'
import { fenceOf } from '../../core/key.ts'
import type { KeyAtom, RecordItem } from '../../core/types.ts'
import type { KafkaHeader, KafkaRecord } from '../types.ts'
import type { HeadSpace } from '../../mapping/head-space.ts'
import { emptySlot } from '../../mapping/item-slot.ts'
import { Base64Columns } from './base64-columns.ts'
import type { CheckFinding } from './check-finding.ts'
import { warn } from './check-finding.ts'
import type { CheckedTopic } from './check-topics.ts'
import { RecordKeyFit } from './record-key-fit.ts'
import type { SchemaId } from '../../registry/types.ts'
import { topicEncoding } from '../topics/topic-encoding.ts'
import type { KnownSchemas, TopicEncoding } from '../topics/topic-encoding.ts'
import type { TopicMapper } from '../topics/topic-mapper.ts'
import { columnsInWords } from '../topics/topic-stops.ts'

/** How often, and what came first, in words. */
interface Trouble {
  count: number
  first: string
}

const SEVERAL = -1

export interface SampledTopic extends CheckedTopic {
  readonly mapper: TopicMapper<undefined>
  /** How many there are, sampled or not. */
  readonly partitions: number
  /** The mapper's. */
  readonly space: HeadSpace
}

export class TopicSample {
  records = 0
  readonly #topic: SampledTopic
  readonly #track: { readonly name: string }
  readonly #slot = emptySlot(undefined)
  readonly #rejected: Trouble = { count: 0, first: '' }
  readonly #stops: Trouble = { count: 0, first: '' }
  readonly #columns = new Base64Columns()
  readonly #fit = new RecordKeyFit()
  /** By key, the partition its records lie in. */
  readonly #places = new Map<KeyAtom, number>()
  readonly #ignoredBefore: number
  readonly #encoding: TopicEncoding | undefined
  /** Records that wait for their schemas. */
  readonly #later: (readonly [partition: number, record: KafkaRecord])[] = []
  #torn = 0
  #keyless = 0
  #otherKeys = 0

  constructor(topic: SampledTopic) {
    this.#topic = topic
    this.#track = { name: topic.name }
    this.#ignoredBefore = this.#ignored
    this.#encoding = topicEncoding(topic.entry)
  }

  take(partition: number, record: KafkaRecord): void {
    this.records++
    if (this.#encoding) this.#later.push([partition, copyOf(record)])
    else this.#look(partition, record)
  }

  /** Of the schemas that the records taken name. */
  get schemaIds(): ReadonlySet<SchemaId> {
    const ids = new Set<SchemaId>()
    for (const [, record] of this.#later) this.#encoding?.addIds(record, ids)
    return ids
  }

  /** Looks at the records that waited for these. */
  finish(schemas: KnownSchemas): void {
    for (const [partition, record] of this.#later.splice(0)) {
      const read = this.#encoding!.read(record, schemas)
      if (typeof read === 'string') note(this.#rejected, placed(partition, record, read))
      else this.#look(partition, read)
    }
  }

  #look(partition: number, record: KafkaRecord): void {
    const { mapper, space, entry } = this.#topic
    space.reset()
    if (entry.format === 'debezium' && record.value) this.#columns.note(record.value)
    try {
      const item = mapper.map(record, this.#track, partition, undefined, 0, this.#slot)
      if (item?.kind === 'rejected') note(this.#rejected, placed(partition, record, item.reason))
      else if (item) this.#place(partition, record, item)
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error
      note(this.#stops, error.message)
    }
  }

  /** @param divert whether dead letters are kept */
  findings(divert: boolean): CheckFinding[] {
    if (this.records === 0) return []
    const odd = (this.#topic.odd ?? []).map((text) => warn(text))
    return [...this.#unstorable(divert), ...odd, ...this.#useless(), ...this.#order(), ...this.#decimals()]
  }

  #place(partition: number, record: KafkaRecord, item: RecordItem<undefined>): void {
    const { entry } = this.#topic
    const key = fenceOf(item.key)
    if (key === undefined || entry.keys.from === 'offset') return
    const known = this.#places.get(key)
    if (known === undefined) this.#places.set(key, partition)
    else if (known !== partition && known !== SEVERAL) {
      this.#places.set(key, SEVERAL)
      this.#torn++
    }
    if (entry.keys.from === 'key') return
    const { head, headFrom, headTo, bytes, from, to } = item
    const point = Buffer.concat([head.subarray(headFrom, headTo), bytes.subarray(from, to)])
    if (record.key === null) this.#keyless++
    else if (!this.#fit.fits(record.key, point)) this.#otherKeys++
  }

  #unstorable(divert: boolean): CheckFinding[] {
    const found: CheckFinding[] = []
    const { count, first } = this.#rejected
    const fate = divert
      ? 'They would become dead letters.'
      : 'The first would end the run: correct its producer, or set dead_letters.'
    if (count > 0) found.push(this.#warn(`${this.#of(count)} cannot be stored; the first is in ${first}. ${fate}`))
    if (this.#stops.count > 0)
      found.push(
        this.#warn(`${this.#of(this.#stops.count)} would end the run by its policies; the first: ${this.#stops.first}`),
      )
    return found
  }

  #useless(): CheckFinding[] {
    const { mapper } = this.#topic
    if (this.#ignored - this.#ignoredBefore < this.records) return []
    const words = [...mapper.ignored.keys()].join(', ')
    return [
      this.#warn(
        `${this.records === 1 ? 'the one sampled record is' : `all ${this.records} sampled records are`} ignored (${words}). Check its format.`,
      ),
    ]
  }

  get #ignored(): number {
    return [...this.#topic.mapper.ignored.values()].reduce((sum, count) => sum + count, 0)
  }

  #order(): CheckFinding[] {
    const { partitions, entry } = this.#topic
    if (this.#torn > 0)
      return [
        this.#warn(
          `${this.#torn} of ${this.#places.size} sampled keys have records in more than one partition: between partitions there is no order, so an older record of a row may win. Let its producer use ${entry.keys.from === 'value' ? "the row's key as record key" : 'one partitioner'}, and write the topic anew.`,
        ),
      ]
    if (partitions < 2) return []
    const because = 'so nothing keeps the records of a row in one partition, and an older one may win.'
    const remedy = "Let its producer use the row's key as record key."
    const found: CheckFinding[] = []
    if (this.#keyless > 0) found.push(this.#warn(`${this.#of(this.#keyless)} have no record key, ${because} ${remedy}`))
    if (this.#otherKeys > 0)
      found.push(
        this.#warn(
          `${this.#of(this.#otherKeys)} have a record key of something else than the row's key, ${because} ${remedy} If a row's record key never changes, all is well.`,
        ),
      )
    return found
  }

  #decimals(): CheckFinding[] {
    const { names } = this.#columns
    if (names.length === 0) return []
    const verb = names.length === 1 ? 'looks' : 'look'
    return [
      this.#warn(
        `${columnsInWords(names)} ${verb} like decimals in base64, and no schema tells what they are: they would be stored as such texts. Set decimal.handling.mode=string at the Debezium connector, or let its converter write schemas.`,
      ),
    ]
  }

  #of(count: number): string {
    return `${count} of ${this.records} sampled records`
  }

  #warn(text: string): CheckFinding {
    return warn(`Topic ${JSON.stringify(this.#topic.name)}: ${text}`)
  }
}

function placed(partition: number, { offset }: KafkaRecord, reason: string): string {
  return `partition ${partition}, offset ${offset}: ${reason}`
}

function copied(bytes: Buffer | null): Buffer | null {
  return bytes && Buffer.from(bytes)
}

/** Its buffers are views of what was fetched. */
function copyOf(record: KafkaRecord): KafkaRecord {
  const { offset, timestamp, key, value, headers, unread } = record
  const own = headers.map(([name, bytes]): KafkaHeader => [name, copied(bytes)])
  return {
    offset,
    timestamp,
    key: copied(key),
    value: copied(value),
    headers: own,
    unread: unread && { why: unread.why, ofLetter: undefined },
  }
}

function note(trouble: Trouble, what: string): void {
  if (trouble.count === 0) trouble.first = what
  trouble.count++
}
