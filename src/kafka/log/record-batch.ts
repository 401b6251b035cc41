// A record batch (record format v2): the layout of its header, and a batch as it was fetched, still compressed.

/** Positions of the header's fields. */
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

/** Bytes that the header's `length` does not count: its own, and those in front of it. */
export const UNCOUNTED = 12
/** The version of the format. */
export const MAGIC = 2
/** Bits of the attributes. */
export const CODEC_MASK = 0x7
export const APPEND_TIME = 0x8
export const TRANSACTIONAL = 0x10
export const CONTROL = 0x20

/** Stands for an offset that is not known. */
export const NOWHERE = 0x7fff_ffff_ffff_ffffn

export interface PackedBatch {
  readonly codec: number
  /** Number of records, from the header. */
  readonly count: number
  /** How to read it: its records, nothing (aborted, or a transaction marker), or why it cannot be read (old: the format of Kafka
   *  before 0.11). */
  readonly as: 'records' | 'nothing' | 'damaged' | 'tooLarge' | 'old'
  /** The first and the last offset, from the header; NOWHERE if they are not known. */
  readonly first: bigint
  readonly last: bigint
  readonly firstTimestamp: bigint
  /** The timestamp of all records, if the broker sets it. */
  readonly appendTime: bigint | undefined
  /** Its records, a view of what was fetched of the partition. */
  readonly packed: Buffer
  /** Whether nothing else uses that memory. */
  readonly isAlone: boolean
}
