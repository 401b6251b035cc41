// Where reading of partitions begins: at the committed offset, otherwise by the start policy; and by `out_of_range` where the committed
// offset is not there. `findPositions` asks for what decides that. A check shows what it found (`askPositions`), a run acts by it
// (`decidePositions`).

import type { Start } from '../../config/stream/start-time.ts'
import type { OutOfRangePolicy } from '../../config/stream/stream-config.ts'
import type { KafkaAdmin } from './admin.ts'
import type { CommittedPosition, OffsetRange, TopicPartition } from '../types.ts'
import type { AssignedPosition } from './membership.ts'
import { outOfRange, outOfRangeWarning, type GoneSide } from './out-of-range.ts'

export type StartPosition =
  /** Reading goes on at the committed offset. */
  | { readonly from: 'committed'; readonly offset: bigint }
  /** Nothing was committed, so it begins by the start policy. */
  | { readonly from: 'start'; readonly offset: bigint }
  /** The committed offset is not there. `offset` is where the policy goes on; `undefined` when it is to stop. */
  | { readonly from: 'out of range'; readonly side: GoneSide; readonly offset: bigint | undefined }

interface StartFacts {
  /** The next offset to read; `undefined` when there is none. */
  readonly committed: bigint | undefined
  readonly range: OffsetRange
  /** The offset that the start policy gives. */
  readonly startAt: bigint
  readonly outOfRange: OutOfRangePolicy
  /** One after the last record, those of open transactions included: a consumer that reads uncommitted records may have committed
   *  offsets of them. Absent when it is the end of the range. */
  readonly watermark?: bigint | undefined
  /** Whether the committed offset is of an earlier topic of this name. */
  readonly isAnew?: boolean
}

/** Decides where reading of one partition begins. */
export function startPosition(facts: StartFacts): StartPosition {
  const { committed, range, startAt, outOfRange, watermark = range.high, isAnew = false } = facts
  const { low, high } = range
  if (committed === undefined) return { from: 'start', offset: within(startAt, range) }
  if (!isAnew && committed >= low && committed <= watermark) return { from: 'committed', offset: committed }
  const goneSide = committed < low ? 'below' : 'above'
  const offsets = { earliest: low, latest: high, stop: undefined }
  return { from: 'out of range', side: isAnew ? 'anew' : goneSide, offset: offsets[outOfRange] }
}

function within(offset: bigint, { low, high }: OffsetRange): bigint {
  if (offset < low) return low
  return offset > high ? high : offset
}

export type OffsetQuestions = Pick<KafkaAdmin, 'ranges' | 'watermarks' | 'offsetsAt' | 'committed' | 'topicIds'>

/** The beginning of reading a topic: by a policy where nothing is committed, or at given offsets by partition, whatever is committed.
 *  Given offsets are not committed at the start. */
export type ReadingStart = Start | { readonly offsets: ReadonlyMap<number, bigint> }

/** The policies of a topic. */
interface TopicPolicies {
  readonly start: ReadingStart
  readonly outOfRange: OutOfRangePolicy
}

export interface PositionPolicies {
  readonly group: string
  startOf(topic: string): ReadingStart
  outOfRangeOf(topic: string): OutOfRangePolicy
}

/** The position where reading of a partition would begin now. */
export interface FoundPosition {
  readonly partition: number
  readonly range: OffsetRange
  /** `undefined` when none is known. */
  readonly committed: bigint | undefined
  readonly topicId: string | undefined
  readonly found: StartPosition
}

/** Finds where reading of each partition of a topic would begin now, by what the group has committed.
 *  @param group `undefined` when its offsets cannot be asked for
 *  @returns in the order of partitions
 *  @throws what the questions throw */
export async function askPositions(
  questions: OffsetQuestions,
  topic: string,
  policies: TopicPolicies,
  group: string | undefined,
): Promise<readonly FoundPosition[]> {
  const topicId = (await questions.topicIds([topic])).get(topic)
  // the committed offset first: a range that is asked for later is not behind it
  const committed = group === undefined ? [] : await questions.committed(group, [topic])
  const found = await findPositions(questions, topic, { ...policies, topicId }, committed)
  return found.toSorted((a, b) => a.partition - b.partition)
}

/** Finds the start of all partitions of the topic.
 *  @param asked topicId: as it was before all else was asked, so that what is found is of that topic, or of a later one, which is noticed
 *  later
 *  @throws what the questions throw */
export async function findPositions(
  questions: Omit<OffsetQuestions, 'committed'>,
  topic: string,
  asked: TopicPolicies & { readonly topicId: string | undefined },
  committed: readonly CommittedPosition[],
): Promise<readonly FoundPosition[]> {
  const { start, outOfRange, topicId } = asked
  const ranges = await questions.ranges(topic)
  const startOf = await startsBy(questions, topic, start)
  const lasts = new Map(committed.filter((one) => one.topic === topic).map((one) => [one.partition, one]))
  // asked for only here: it is rarely so, and takes another connection
  const isAbove = [...ranges].some(([partition, { high }]) => (lasts.get(partition)?.offset ?? 0n) > high)
  const watermarks = isAbove ? await questions.watermarks(topic) : undefined
  return Array.from(ranges, ([partition, range]) => {
    const { offset: last, topicId: lastId } = lasts.get(partition) ?? {}
    const isAnew = lastId !== undefined && topicId !== undefined && lastId !== topicId
    const startAt = startOf(partition, range)
    const committed = isGiven(start) ? undefined : last
    const watermark = watermarks?.get(partition)
    const found = startPosition({ committed, range, startAt, outOfRange, watermark, isAnew })
    return { partition, range, committed: last, topicId, found }
  })
}

function isGiven(start: ReadingStart): start is Exclude<ReadingStart, Start> {
  return typeof start === 'object' && 'offsets' in start
}

/** @returns where a partition begins if nothing is committed */
async function startsBy(
  questions: Pick<OffsetQuestions, 'offsetsAt'>,
  topic: string,
  start: ReadingStart,
): Promise<(partition: number, range: OffsetRange) => bigint> {
  if (start === 'earliest') return (_, { low }) => low
  if (start === 'latest') return (_, { high }) => high
  const offsets = isGiven(start) ? start.offsets : await questions.offsetsAt(topic, start.timestamp)
  return (partition, { low }) => offsets.get(partition) ?? low
}

export interface DecidedPosition extends AssignedPosition {
  /** Whether this differs from the committed offset. It is then committed before reading begins: otherwise a restart before the
   *  first commit would decide again, and skip the records written meanwhile. */
  readonly isNew: boolean
  /** Said in the log of an offset that was out of range. */
  readonly warning?: string
}

/** Decides where reading of assigned partitions begins.
 *  @param isSure whether to believe that a committed offset is above the end, or that its topic is another one. A new leader may not
 *  know the end yet, nor a broker the new topic, so ask a few times first.
 *  @returns `unsure` when one of them is not believed: ask again
 *  @throws ConnectorError when an offset is out of range and the policy is to stop; what the questions throw */
export async function decidePositions(
  questions: OffsetQuestions,
  policies: PositionPolicies,
  assigned: readonly TopicPartition[],
  isSure: boolean,
): Promise<readonly DecidedPosition[] | 'unsure'> {
  const topics = [...new Set(assigned.map(({ topic }) => topic))]
  const ids = await questions.topicIds(topics)
  // committed offsets first: the range must not be older than they are
  const committed = await questions.committed(policies.group, topics)
  const decided: DecidedPosition[] = []
  for (const topic of topics) {
    const policy = {
      start: policies.startOf(topic),
      outOfRange: policies.outOfRangeOf(topic),
      topicId: ids.get(topic),
    }
    const found = await findPositions(questions, topic, policy, committed)
    for (const { partition } of assigned.filter((one) => one.topic === topic)) {
      const position = found.find((one) => one.partition === partition)
      if (!position) throw new Error(`partition ${partition} of topic ${topic} is not known yet`)
      const next = decide({ topic, partition }, position, isSure)
      if (next === 'unsure') return next
      decided.push({ ...next, isNew: next.isNew && !isGiven(policy.start) })
    }
  }
  return decided
}

/** Decides from what was found of one partition.
 *  @throws ConnectorError when it is out of range and the policy is to stop */
export function decide(
  at: TopicPartition,
  { range, committed, found, topicId }: Omit<FoundPosition, 'partition'>,
  isSure: boolean,
): DecidedPosition | 'unsure' {
  const { high } = range
  if (found.from !== 'out of range')
    return { ...at, offset: found.offset, high, topicId, isNew: found.from === 'start' }
  // this may last only a moment
  if (!isSure && found.side !== 'below') return 'unsure'
  if (found.offset === undefined) throw outOfRange(at, committed!, range, found.side)
  const warning = outOfRangeWarning(at, committed!, range, { ...found, offset: found.offset })
  return { ...at, offset: found.offset, high, topicId, isNew: true, warning }
}
