// A record batch (record format v2): the head as it lies in the log, and the batch as it was fetched, still packed.

import type { ReadHold } from './fetch-budget.ts'

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
  /** What counts it, since it was kept. */
  hold?: ReadHold
  /** Whoever has it releases that. */
  isClaimed?: boolean
}
