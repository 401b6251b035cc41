// The head of a record batch as it lies in the log (record format v2). Decides nothing.

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
