// Decodes records that are written by schemas of a registry: first `addIds` says which schemas they name, and once those are known, `read`
// makes JSON of the records.

import { rulesOf, type TopicConfig } from '../../config/stream/stream-config.ts'
import type { KafkaRecord } from '../types.ts'
import type { DecodedJson, SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import { readWire, type Side } from '../../registry/wire-format.ts'

export type KnownSchemas = ReadonlyMap<SchemaId, ValueDecoder | SchemaProblem>

/** Stands for the Kafka key of a tombstone that cannot be read: which row is gone is not known then. */
export const UNREADABLE_KEY = Buffer.from('unreadable')
/** The JSON of Avro's null. A record whose value is that is a tombstone. */
const NULL_JSON = Buffer.from('null')
const WORDS = { value: 'its value', key: 'its Kafka key' } as const

/** The decoder of a topic's records. `undefined` when they are JSON already. */
export function topicEncoding(entry: TopicConfig): TopicEncoding | undefined {
  const { valueEncoding, keyEncoding, format } = entry
  const readsKey = format === 'debezium' || rulesOf(entry).some(({ keys }) => keys.from === 'key')
  const sides: Side[] = []
  if (valueEncoding === 'registry') sides.push('value')
  if (keyEncoding === 'registry' && readsKey) sides.push('key')
  return sides.length === 0 ? undefined : new TopicEncoding(sides, format === 'debezium')
}

export class TopicEncoding {
  readonly #sides: readonly Side[]
  readonly #keepsTombstones: boolean

  /** @param sides written by a schema of the registry, the value first
   *  @param keepsTombstones whether a record without a value is read though its key cannot be */
  constructor(sides: readonly Side[], keepsTombstones = false) {
    this.#sides = sides
    this.#keepsTombstones = keepsTombstones
  }

  reads(side: Side): boolean {
    return this.#sides.includes(side)
  }

  /** Whether decimals of the record's value are texts already: schemas of Avro and Protobuf say where they are. */
  knowsDecimals({ value, headers }: KafkaRecord, schemas: KnownSchemas): boolean {
    if (value === null || !this.reads('value')) return false
    const located = readWire(value, headers, 'value')
    const decoder = 'id' in located ? schemas.get(located.id) : undefined
    return decoder !== undefined && 'type' in decoder && decoder.type !== 'JSON'
  }

  /** Adds the ids of the schemas that the record names to `ids`. */
  addIds(record: KafkaRecord, ids: Set<SchemaId>): void {
    if (record.unread) return
    for (const side of this.#sides) {
      const bytes = record[side]
      if (bytes === null) continue
      const located = readWire(bytes, record.headers, side)
      if ('id' in located) ids.add(located.id)
    }
  }

  /** @param schemas at least those that `addIds` adds for this record
   *  @returns the record in JSON, its place and headers as they are; its value is null where Avro's is. Where it cannot be read, `unread`
   *  says why */
  read(record: KafkaRecord, schemas: KnownSchemas): KafkaRecord {
    if (record.unread) return record
    const { offset, timestamp, key, value, headers } = record
    const read = { offset, timestamp, headers, key, value, schema: undefined as string | undefined }
    for (const side of this.#sides) {
      const made = decoded(record, side, schemas)
      if (made && 'problem' in made) {
        if (side === 'value' || read.value !== null || !this.#keepsTombstones)
          return { ...read, unread: { why: made.problem } }
        read.key = UNREADABLE_KEY
        continue
      }
      read[side] = made && made.json
      if (side === 'value') read.schema = made?.name
    }
    return read
  }
}

/** @returns null where that side of the record is null; the words of a problem hold no data */
function decoded(record: KafkaRecord, side: Side, schemas: KnownSchemas): DecodedJson | SchemaProblem | null {
  const bytes = record[side]
  if (bytes === null) return null
  const located = readWire(bytes, record.headers, side)
  if ('problem' in located) return { problem: `${WORDS[side]} ${located.problem}` }
  const decoder = schemas.get(located.id)
  if (decoder === undefined) throw new TypeError('A record is read before its schema was asked for.')
  if ('problem' in decoder) return { problem: `the schema ${located.id} of ${WORDS[side]} ${decoder.problem}` }
  const made = decoder.decode(bytes, located.from, located.indexes)
  if ('problem' in made) return { problem: `${WORDS[side]} ${made.problem}` }
  return side === 'value' && decoder.type === 'AVRO' && made.json.equals(NULL_JSON) ? null : made
}
