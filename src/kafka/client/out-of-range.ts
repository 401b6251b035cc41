// What is said of an offset at which reading was to go on, and that is not there.

import { ConnectorError } from '../../core/errors.ts'
import type { OffsetRange, TopicPartition } from '../types.ts'

/** The place of that offset: below the first record, above the end, or in an earlier topic of this name (anew). */
export type GoneSide = 'below' | 'above' | 'anew'

/** The warning that is logged where the policy for offsets that are not there is to go on. */
export function outOfRangeWarning(
  at: TopicPartition,
  last: bigint,
  range: OffsetRange,
  { side, offset }: { readonly side: GoneSide; readonly offset: bigint },
): string {
  return `${outOfRangeText(at, last, range, side)} As \`out_of_range\` says, reading continues at offset ${offset}.`
}

/** The error under the policy `stop`. */
export function outOfRange(at: TopicPartition, last: bigint, range: OffsetRange, side: GoneSide): ConnectorError {
  const how = side === 'anew' ? 'To read the topic as it is now' : 'To continue without them'
  const advice =
    `${how}, set the topic's \`out_of_range\` to earliest or latest; it stops so that no record is passed over ` +
    'in silence.'
  return new ConnectorError('config', 'topic.offset-gone', `${outOfRangeText(at, last, range, side)} ${advice}`)
}

function outOfRangeText(
  { topic, partition }: TopicPartition,
  last: bigint,
  { low, high }: OffsetRange,
  side: GoneSide,
): string {
  const where = `Topic ${topic}, partition ${partition}: reading was to continue at offset ${last}, `
  if (side === 'anew')
    return `${where}but the topic was deleted and created again meanwhile (first: ${low}, end: ${high}), so that the same offsets now mean other records; what was not read of the old topic is lost.`
  if (side === 'below')
    return `${where}but its first record now has offset ${low} (end: ${high}): ${offsetsBetween(low - last)}.`
  return `${where}but the partition ends at offset ${high} (first: ${low}): it was re-created or lost records, so that the same offsets now mean other records.`
}

function offsetsBetween(count: bigint): string {
  if (count === 1n) return 'the offset between was deleted before it was read'
  return `the ${count} offsets between were deleted before they were read`
}
