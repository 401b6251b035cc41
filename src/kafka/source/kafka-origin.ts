// Where a record of Kafka came from, as the engine carries it along.

import type { MappedTrack } from '../topics/topic-mapper.ts'
import type { KafkaHeader, KafkaRecord, TopicPartition } from '../types.ts'

/** The track of a partition: its checkpoints come back in their order. */
export interface KafkaTrack extends MappedTrack, TopicPartition {}

/** One text for each partition, since no topic's name has a slash. */
export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}

export function kafkaTrack(topic: string, partition: number): KafkaTrack {
  return { name: topic, topic, partition, marked: undefined }
}

/** A copy of a record, kept as long as the record may be rejected. A view would hold the 10 MB that the record was fetched with. */
export interface KeptRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  /** Each byte is one character (latin1): exact, and one allocation. */
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /** The place where it was first read, if it is a dead letter that is replayed. `undefined` when that is its track. */
  readonly from: TopicPartition | undefined
  /** The route's value, by which the record named its table. `undefined` when its topic has one table, or it named none. */
  route: string | undefined
}

/** The record's offset if rejected records are not kept, else all of the record. */
export type KafkaOrigin = bigint | KeptRecord

/** Bytes that a record costs beside its own: its object, offset, time and texts; those of a header; and those of an offset alone. */
const RECORD_COST = 192
const HEADER_COST = 128
const OFFSET_COST = 24
const NO_HEADERS: KeptRecord['headers'] = []

/** @param keepsRecords whether rejected records are kept
 *  @param from where a replayed record was first read */
export function originOf(record: KafkaRecord, keepsRecords: boolean, from?: TopicPartition): KafkaOrigin {
  const { offset } = record
  if (!keepsRecords) return offset
  const { timestamp, key, value, headers } = record
  return {
    offset,
    timestamp,
    key: textOf(key),
    value: textOf(value),
    headers: textsOf(headers),
    from,
    route: undefined,
  }
}

/** How many bytes an origin takes in memory, about. */
export function heldBy(origin: KafkaOrigin): number {
  if (typeof origin === 'bigint') return OFFSET_COST
  let bytes = RECORD_COST + (origin.key?.length ?? 0) + (origin.value?.length ?? 0)
  for (const [name, value] of origin.headers) bytes += HEADER_COST + 2 * name.length + (value?.length ?? 0)
  return bytes
}

export function offsetOf(origin: KafkaOrigin): bigint {
  return typeof origin === 'bigint' ? origin : origin.offset
}

/** The part of an origin that a record which need not be kept has: where it was read. */
export function placeOf(origin: KafkaOrigin): KafkaOrigin {
  if (typeof origin === 'bigint') return origin
  const { offset, timestamp, from } = origin
  return from ? { offset, timestamp, key: null, value: null, headers: NO_HEADERS, from, route: undefined } : offset
}

/** The record that `originOf` kept. */
export function recordOf({ offset, timestamp, key, value, headers }: KeptRecord): KafkaRecord {
  const own = headers.map(([name, value]): KafkaHeader => [name, bytesOf(value)])
  return { offset, timestamp, key: bytesOf(key), value: bytesOf(value), headers: own }
}

function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString('latin1')
}

function textsOf(headers: readonly KafkaHeader[]): KeptRecord['headers'] {
  return headers.length === 0 ? NO_HEADERS : headers.map(([name, value]) => [name, textOf(value)] as const)
}

function bytesOf(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text, 'latin1')
}
