// A record batch (record format v2): the layout of its header, and a batch as it was fetched, still compressed.

/** Positions of the header's fields; `records` is the place where the header ends. */
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

/** Bytes that the header's `length` does not count: those of `firstOffset` and of `length` itself. */
export const UNCOUNTED = 12
/** The version of the format, the header's `magic`. */
export const MAGIC = 2
/** Bits of the header's `attributes`: the codec; the broker set the timestamp; part of a transaction; the marker that ends one. */
export const CODEC_MASK = 0x7
export const APPEND_TIME = 0x8
export const TRANSACTIONAL = 0x10
export const CONTROL = 0x20

/** Stands for an offset that is not known. It is the highest there is, so that no such batch is left out as one that was read before. */
export const NO_OFFSET = 0x7fff_ffff_ffff_ffffn

export interface PackedBatch {
  /** Kafka's number of the compression; 0 when there is none. */
  readonly codec: number
  /** Number of records, from the header. */
  readonly count: number
  /** How to read it. `nothing`: it brings no records, as it was rolled back or is a transaction marker. `damaged`, `tooLarge` and `old`
   *  (the format of Kafka before 0.11): it cannot be read. */
  readonly readAs: 'records' | 'nothing' | 'damaged' | 'tooLarge' | 'old'
  /** The first and the last offset, from the header; NO_OFFSET when they are not known. */
  readonly first: bigint
  readonly last: bigint
  readonly firstTimestamp: bigint
  /** The timestamp of all records. `undefined` when each has its own: the broker does not set it. */
  readonly appendTime: bigint | undefined
  /** Its records, still compressed: a view of what was fetched of the partition. Empty unless `readAs` is `records`. */
  readonly packed: Buffer
  /** Whether `packed` lies in memory that no other batch uses. */
  readonly ownsMemory: boolean
}
