// Where reading of newly assigned partitions begins: at what the group committed, else by the start policy; and what is wrong when
// that is out of range.

import type { OutOfRangePolicy, StartPolicy } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { KafkaAdmin } from './admin.ts'
import type { TopicPartition } from '../types.ts'

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

export type OffsetQuestions = Pick<KafkaAdmin, 'ranges' | 'offsetsAt' | 'committed'>

export interface PositionPolicies {
  readonly group: string
  startOf(topic: string): StartPolicy
  outOfRangeOf(topic: string): OutOfRangePolicy
}

export interface DecidedPosition extends TopicPartition {
  readonly offset: bigint
  /** Of the partition, when it was asked for. */
  readonly high: bigint
  /** Whether the group's committed offset is another one, or none: it is to be committed before reading begins, or a
   *  restart before the first commit would decide anew, and pass over what came in between. */
  readonly isNew: boolean
  /** For the log: an offset that was out of range. */
  readonly warning?: string
}

/** @param isSure a position behind the end is believed. A leader that has just taken over may not know the end yet: ask
 *  again a few times first.
 *  @throws ConnectorError when an offset is out of range and the policy is to stop; whatever the questions throw */
export async function decidePositions(
  questions: OffsetQuestions,
  policies: PositionPolicies,
  assigned: readonly TopicPartition[],
  isSure: boolean,
): Promise<readonly DecidedPosition[]> {
  const topics = [...new Set(assigned.map(({ topic }) => topic))]
  // the committed offset first: a range that is asked for later is not behind it
  const committed = await questions.committed(policies.group, topics)
  const decided: DecidedPosition[] = []
  for (const topic of topics) {
    const ranges = await questions.ranges(topic)
    const starts = await startsOf(questions, topic, policies.startOf(topic), ranges)
    for (const { partition } of assigned.filter((one) => one.topic === topic)) {
      const range = ranges.get(partition)
      if (!range) throw new Error(`partition ${partition} of topic ${topic} is not known yet`)
      const last = committed.find((one) => one.topic === topic && one.partition === partition)?.offset
      const found = startPosition(last, range, starts.get(partition) ?? range.low, policies.outOfRangeOf(topic))
      if (!isSure && isBehindEnd(found)) throw new Error(`partition ${partition} of topic ${topic} ends before ${last}`)
      decided.push(decide({ topic, partition }, range, last, found))
    }
  }
  return decided
}

/** Perhaps only for a moment. */
export function isBehindEnd(found: StartPosition): boolean {
  return found.from === 'out of range' && found.side === 'above'
}

async function startsOf(
  questions: OffsetQuestions,
  topic: string,
  policy: StartPolicy,
  ranges: ReadonlyMap<number, OffsetRange>,
): Promise<ReadonlyMap<number, bigint>> {
  if (typeof policy === 'object') return questions.offsetsAt(topic, policy.timestamp)
  return new Map([...ranges].map(([partition, { low, high }]) => [partition, policy === 'earliest' ? low : high]))
}

function decide(
  at: TopicPartition,
  range: OffsetRange,
  last: bigint | undefined,
  found: StartPosition,
): DecidedPosition {
  if (found.from !== 'out of range')
    return { ...at, offset: found.offset, high: range.high, isNew: found.from === 'start' }
  if (found.offset === undefined) throw outOfRange(at, last!, range)
  const warning = outOfRangeWarning(at, last!, range, found.offset)
  return { ...at, offset: found.offset, high: range.high, isNew: true, warning }
}

/** What the other policies come to, for the log. */
export function outOfRangeWarning(at: TopicPartition, last: bigint, range: OffsetRange, offset: bigint): string {
  return `${outOfRangeText(at, last, range)} As \`out_of_range\` says, reading goes on at offset ${offset}.`
}

/** What a policy of `stop` comes to, in words for the user. */
export function outOfRange(at: TopicPartition, last: bigint, range: OffsetRange): ConnectorError {
  const advice =
    "To go on without them, set the topic's `out_of_range` to earliest or latest; it stops so that no record is passed " +
    'over in silence.'
  return new ConnectorError('config', `${outOfRangeText(at, last, range)} ${advice}`)
}

function outOfRangeText({ topic, partition }: TopicPartition, last: bigint, { low, high }: OffsetRange): string {
  const where = `Topic ${topic}, partition ${partition}: reading was to go on at offset ${last}, `
  if (last < low)
    return `${where}but its first record now has offset ${low} (end: ${high}): ${offsetsBetween(low - last)}.`
  return `${where}but the partition ends at offset ${high} (first: ${low}): it was re-created or lost records, so that the same offsets now mean other records.`
}

function offsetsBetween(count: bigint): string {
  if (count === 1n) return 'the offset between was deleted before it was read'
  return `the ${count} offsets between were deleted before they were read`
}
