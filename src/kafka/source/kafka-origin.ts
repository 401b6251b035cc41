// Where a record of Kafka came from, as the engine carries it along.

import type { MappedTrack } from '../topics/topic-mapper.ts'
import type { KafkaHeader, KafkaRecord, TopicPartition } from '../types.ts'

/** A partition, which checkpoints are ordered in. */
export interface KafkaTrack extends MappedTrack, TopicPartition {}

export function kafkaTrack(topic: string, partition: number): KafkaTrack {
  return { name: topic, topic, partition, marked: undefined }
}

/** A record, kept as long as it may be rejected. Copied: a view would hold the 10 MB it was fetched with, for as long as
 *  one record of them waits. */
export interface KeptRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  /** A character a byte: exact, and one allocation. */
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /** The place where it was first read, if it is a dead letter that is replayed. `undefined` when that is its track. */
  readonly from: TopicPartition | undefined
  /** The route's value: what it said of its table, where its topic has several. */
  route: string | undefined
}

/** The record's offset, or all of it. */
export type KafkaOrigin = bigint | KeptRecord

/** Bytes that a record costs beside its own: its object, offset, time and texts; and a header. */
const RECORD_COST = 192
const HEADER_COST = 128
const OFFSET_COST = 24
const NO_HEADERS: KeptRecord['headers'] = []

/** @param keepsRecords whether rejected records are kept: `DeadLetterPolicy.keepsRecords`
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
