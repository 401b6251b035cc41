// Where reading of a partition begins. Pure: knows no client, only offsets.

import type { OutOfRangePolicy } from '../../config/stream/stream-config.ts'

/** Offsets of a partition: of its first record, and one behind its last. */
export interface OffsetRange {
  readonly low: bigint
  readonly high: bigint
}

export type StartPosition =
  /** As it was left. */
  | { readonly from: 'committed'; readonly offset: bigint }
  /** Nothing was committed: by the start policy. */
  | { readonly from: 'start'; readonly offset: bigint }
  /** What was to be read is gone (below the first record), or never was (above the end). `offset` by policy, undefined: stop. */
  | { readonly from: 'out of range'; readonly side: 'below' | 'above'; readonly offset: bigint | undefined }

/** @param committed one behind the last settled record; undefined or negative: none
 *  @param startAt what the start policy comes to */
export function startPosition(
  committed: bigint | undefined,
  range: OffsetRange,
  startAt: bigint,
  policy: OutOfRangePolicy,
): StartPosition {
  const { low, high } = range
  // kafkajs commits -1 and -2 for "the end" and "the beginning"
  if (committed === undefined || committed < 0n) return { from: 'start', offset: within(startAt, range) }
  if (committed >= low && committed <= high) return { from: 'committed', offset: committed }
  const side = committed < low ? 'below' : 'above'
  const offset = policy === 'stop' ? undefined : policy === 'earliest' ? low : high
  return { from: 'out of range', side, offset }
}

function within(offset: bigint, { low, high }: OffsetRange): bigint {
  return offset < low ? low : offset > high ? high : offset
}
