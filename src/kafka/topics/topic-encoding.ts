// Decodes records that schemas of a registry describe, to JSON: `addIds` says which schemas are needed, `read` decodes when they are there.

import { rulesOf, type TopicConfig } from '../../config/stream/stream-config.ts'
import type { KafkaRecord } from '../types.ts'
import type { DecodedJson, SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import { readWire, type Side } from '../../registry/wire-format.ts'

/** Decoders by the ids of their schemas; for some there is a reason why there is no decoder. */
export type KnownSchemas = ReadonlyMap<SchemaId, ValueDecoder | SchemaProblem>

/** Stands for a tombstone's Kafka key that cannot be decoded: which row is gone is not known then. To be compared by `===`. */
export const UNREADABLE_KEY = Buffer.from('unreadable')
/** The JSON of Avro's null. A record whose value is that is a tombstone. */
const NULL_JSON = Buffer.from('null')
const WORDS = { value: 'its value', key: 'its Kafka key' } as const

/** Makes the decoder of a topic's records. `undefined` when what is read of them is JSON already. */
export function topicEncoding(entry: TopicConfig): TopicEncoding | undefined {
  const { valueEncoding, keyEncoding, format } = entry
  const readsKey = format === 'debezium' || rulesOf(entry).some(({ keys }) => keys.from === 'key')
  const sides: Side[] = []
  if (valueEncoding === 'registry') sides.push('value')
  if (keyEncoding === 'registry' && readsKey) sides.push('key')
  return sides.length === 0 ? undefined : new TopicEncoding(sides, format === 'debezium')
}

/** Decodes the records of one topic. `readWire` finds the id of the schema that a record names, and where the payload begins. */
export class TopicEncoding {
  readonly #sides: readonly Side[]
  readonly #keepsTombstones: boolean

  /** @param sides the parts of a record that schemas describe, the value first: it tells `read` whether the record is a tombstone
   *  @param keepsTombstones whether a tombstone with a key that cannot be decoded is read nevertheless, with UNREADABLE_KEY */
  constructor(sides: readonly Side[], keepsTombstones = false) {
    this.#sides = sides
    this.#keepsTombstones = keepsTombstones
  }

  /** Whether this side of a record is decoded. */
  reads(side: Side): boolean {
    return this.#sides.includes(side)
  }

  /** Whether `read` makes texts of the decimals in the record's value: with Avro and Protobuf, whose schemas say where decimals are. */
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

  /** Decodes one record.
   *  @param schemas at least those that `addIds` adds for this record
   *  @returns the record with JSON for value and key; a value that is Avro's null becomes null. `unread` says why it cannot be decoded */
  read(record: KafkaRecord, schemas: KnownSchemas): KafkaRecord {
    if (record.unread) return record
    const { offset, timestamp, key, value, headers } = record
    const asJson = { offset, timestamp, headers, key, value, schema: undefined as string | undefined }
    for (const side of this.#sides) {
      const decoded = decodedSide(record, side, schemas)
      if (decoded && 'problem' in decoded) {
        if (side === 'value' || asJson.value !== null || !this.#keepsTombstones)
          return { ...asJson, unread: { why: decoded.problem } }
        asJson.key = UNREADABLE_KEY
        continue
      }
      asJson[side] = decoded && decoded.json
      if (side === 'value') asJson.schema = decoded?.name
    }
    return asJson
  }
}

/** Decodes one side of a record. Null when the side is null, or a value that is Avro's null. The words of a problem hold no data. */
function decodedSide(record: KafkaRecord, side: Side, schemas: KnownSchemas): DecodedJson | SchemaProblem | null {
  const bytes = record[side]
  if (bytes === null) return null
  const located = readWire(bytes, record.headers, side)
  if ('problem' in located) return { problem: `${WORDS[side]} ${located.problem}` }
  const decoder = schemas.get(located.id)
  if (decoder === undefined) throw new TypeError('A record is read before its schema was asked for.')
  if ('problem' in decoder) return { problem: `the schema ${located.id} of ${WORDS[side]} ${decoder.problem}` }
  const decoded = decoder.decode(bytes, located.from, located.indexes)
  if ('problem' in decoded) return { problem: `${WORDS[side]} ${decoded.problem}` }
  return side === 'value' && decoder.type === 'AVRO' && decoded.json.equals(NULL_JSON) ? null : decoded
}
