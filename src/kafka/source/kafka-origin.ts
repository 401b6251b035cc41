// Where a record of Kafka came from: its track, and the origin that the engine carries along with its item.

import type { MappedTrack } from '../topics/topic-mapper.ts'
import type { KafkaHeader, KafkaRecord, TopicPartition } from '../types.ts'

/** The track of a partition as it was assigned: its checkpoints come back in their order. `marked` is for its topic's mapper. */
export interface KafkaTrack extends MappedTrack, TopicPartition {}

/** One text for each partition, since no topic's name has a slash. */
export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}

export function kafkaTrack(topic: string, partition: number): KafkaTrack {
  return { name: topic, topic, partition, marked: undefined }
}

/** A copy of a record, kept as long as the record may be rejected: a view would keep in memory all that was fetched with it. */
export interface KeptRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  /** Each byte is one character (latin1): exact, and one allocation. */
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /** The partition where the record of a replayed dead letter was first read. `undefined` when it is none, so was read from its track. */
  readonly from: TopicPartition | undefined
  /** The value by which the record named its table (the topic's `route`), set by `BatchItems`. `undefined` when it named none. */
  route: string | undefined
}

/** The whole record if rejected records are kept, else its offset. */
export type KafkaOrigin = bigint | KeptRecord

/** Bytes of memory, about: of a kept record beside its own, of each of its headers, and of an offset alone. */
const RECORD_COST = 192
const HEADER_COST = 128
const OFFSET_COST = 24
const NO_HEADERS: KeptRecord['headers'] = []

/** Makes the origin of a record.
 *  @param keepsRecords whether rejected records are kept
 *  @param from as of `KeptRecord` */
export function originOf(record: KafkaRecord, keepsRecords: boolean, from?: TopicPartition): KafkaOrigin {
  const { offset } = record
  if (!keepsRecords) return offset
  const { timestamp, key, value, headers } = record
  return { offset, timestamp, key: textOf(key), value: textOf(value), headers: texts(headers), from, route: undefined }
}

/** How many bytes an origin takes in memory, about: two for each character of a header's name, which need not be latin1. */
export function heldBy(origin: KafkaOrigin): number {
  if (typeof origin === 'bigint') return OFFSET_COST
  let bytes = RECORD_COST + (origin.key?.length ?? 0) + (origin.value?.length ?? 0)
  for (const [name, value] of origin.headers) bytes += HEADER_COST + 2 * name.length + (value?.length ?? 0)
  return bytes
}

export function offsetOf(origin: KafkaOrigin): bigint {
  return typeof origin === 'bigint' ? origin : origin.offset
}

/** The part of an origin that is kept of a superseded record: where it was read. */
export function placeOf(origin: KafkaOrigin): KafkaOrigin {
  if (typeof origin === 'bigint') return origin
  const { offset, timestamp, from } = origin
  return from ? { offset, timestamp, key: null, value: null, headers: NO_HEADERS, from, route: undefined } : offset
}

/** The record that `originOf` kept. */
export function recordOf({ offset, timestamp, key, value, headers }: KeptRecord): KafkaRecord {
  const headersInBytes = headers.map(([name, value]): KafkaHeader => [name, bytesOf(value)])
  return { offset, timestamp, key: bytesOf(key), value: bytesOf(value), headers: headersInBytes }
}

function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString('latin1')
}

function texts(headers: readonly KafkaHeader[]): KeptRecord['headers'] {
  return headers.length === 0 ? NO_HEADERS : headers.map(([name, value]) => [name, textOf(value)] as const)
}

function bytesOf(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text, 'latin1')
}
