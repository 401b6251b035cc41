// Messages about an offset that is out of range: reading was to continue there, but the partition does not have it. The topic's option
// `out_of_range` says what happens then: reading goes on at the earliest or latest offset (a warning), or stops (an error).

import { ConnectorError } from '../../core/errors.ts'
import type { OffsetRange, TopicPartition } from '../types.ts'

/** The place of the offset: below the first record, above the end, or in an earlier topic of the same name, which was deleted. */
export type GoneSide = 'below' | 'above' | 'recreated'

/** The warning that is logged when reading goes on at `offset`. @param wanted the offset out of range @param range of the partition */
export function outOfRangeWarning(
  at: TopicPartition,
  wanted: bigint,
  range: OffsetRange,
  { side, offset }: { readonly side: GoneSide; readonly offset: bigint },
): string {
  return `${outOfRangeText(at, wanted, range, side)} As \`out_of_range\` says, reading continues at offset ${offset}.`
}

/** The error with which reading stops. @param wanted the offset that is out of range */
export function outOfRange(at: TopicPartition, wanted: bigint, range: OffsetRange, side: GoneSide): ConnectorError {
  const aim = side === 'recreated' ? 'To read the topic as it is now' : 'To continue without them'
  const advice = `${aim}, set the topic's \`out_of_range\` to earliest or latest; it stops so that no record is passed over in silence.`
  return new ConnectorError('config', 'topic.offset-gone', `${outOfRangeText(at, wanted, range, side)} ${advice}`)
}

function outOfRangeText(
  { topic, partition }: TopicPartition,
  wanted: bigint,
  { low, high }: OffsetRange,
  side: GoneSide,
): string {
  const where = `Topic ${topic}, partition ${partition}: reading was to continue at offset ${wanted}, `
  if (side === 'recreated')
    return `${where}but the topic was deleted and created again meanwhile (first: ${low}, end: ${high}), so that the same offsets now mean other records; what was not read of the old topic is lost.`
  if (side === 'below')
    return `${where}but its first record now has offset ${low} (end: ${high}): ${offsetsBetween(low - wanted)}.`
  return `${where}but the partition ends at offset ${high} (first: ${low}): it was re-created or lost records, so that the same offsets now mean other records.`
}

function offsetsBetween(count: bigint): string {
  if (count === 1n) return 'the offset between was deleted before it was read'
  return `the ${count} offsets between were deleted before they were read`
}
