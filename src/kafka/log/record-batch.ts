// A record batch (record format v2): the head as it lies in the log, and the batch as it was fetched, still packed.

import { ConnectorError } from '../../core/errors.ts'
import type { TopicPartition } from '../types.ts'

/** Where its fields stand. */
export const BATCH = {
  firstOffset: 0,
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  checksum: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
  records: 61,
} as const

/** What `length` does not count. */
export const UNCOUNTED = 12
export const MAGIC = 2
export const CODEC_MASK = 0x7
export const APPEND_TIME = 0x8
export const TRANSACTIONAL = 0x10
export const CONTROL = 0x20

/** The offset of what has none. */
export const NOWHERE = 0x7fff_ffff_ffff_ffffn

export interface PackedBatch {
  readonly codec: number
  /** Of its records, as it says. */
  readonly count: number
  /** What is to be made of it: its records, nothing (rolled back, or a marker), or it cannot be read (old: it is in the format of
   *  Kafka before 0.11). */
  readonly as: 'records' | 'nothing' | 'damaged' | 'tooLarge' | 'old'
  /** NOWHERE: it has no offsets. */
  readonly first: bigint
  readonly last: bigint
  readonly firstTimestamp: bigint
  /** Of all its records, where the broker stamps them. */
  readonly appendTime: bigint | undefined
  /** Its records, in the memory of what was fetched of its partition. */
  readonly packed: Buffer
  /** Nothing else that is looked at lies in that memory. */
  readonly isAlone: boolean
}

// Batches that cannot be unpacked: why, and in words for the user.

export type Codec = 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** damaged: the bytes are none of that codec's; tooLarge: they would unpack to more than is taken; old: a format that is not read. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError'
  readonly reason: 'damaged' | 'tooLarge' | 'old'

  constructor(reason: 'damaged' | 'tooLarge' | 'old', message: string) {
    super(message)
    this.reason = reason
  }
}

export function damaged(what: string): UnpackError {
  return new UnpackError('damaged', what)
}

/** @param limit bytes */
export function tooLarge(limit: number): UnpackError {
  return new UnpackError('tooLarge', `it unpacks to more than ${Math.floor(limit / 1024 / 1024)} MiB`)
}

export interface UnreadableBatch {
  readonly codec: Codec | 'none' | `codec ${number}`
  readonly error: UnpackError
  /** Of its first and last record, as far as it says; undefined: it does not. */
  readonly offsets: { readonly first: bigint; readonly last: bigint } | undefined
}

/** For the user. @param next where reading stands */
export function unreadable({ topic, partition }: TopicPartition, batch: UnreadableBatch, next: bigint): ConnectorError {
  const { codec, error, offsets } = batch
  const what = offsets ? `the batch of the offsets ${offsets.first} to ${offsets.last}` : `what comes at offset ${next}`
  const where = `Topic ${JSON.stringify(topic)}, partition ${partition}: ${what}`
  const to = offsets ? `to ${offsets.last + 1n}` : 'to one behind it'
  const goOn = `To go on without it, set the group's offset of this partition ${to} while nothing runs (kafka-consumer-groups --reset-offsets).`
  const track = { name: topic }
  if (error.reason === 'old')
    return new ConnectorError(
      'config',
      `${where} is in ${error.message}, which is not read. Have its records written anew by a current producer. ${goOn}`,
      { cause: error, track },
    )
  if (error.reason === 'tooLarge')
    return new ConnectorError(
      'config',
      `${where}${codec === 'none' ? '' : `, compressed with ${codec},`} is too large: ${error.message}. Let its producer make smaller batches (batch.size). ${goOn}`,
      { cause: error, track },
    )
  return new ConnectorError(
    'system',
    `${where} is damaged: ${codec === 'none' ? '' : `it should be compressed with ${codec}, but `}${error.message}. Look at that partition's log with another program too. ${goOn}`,
    { cause: error, track },
  )
}
