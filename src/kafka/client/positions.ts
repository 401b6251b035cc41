// Finds where reading of partitions begins: at the committed offset; by the start policy where none is committed; and by the policy
// `out_of_range` where the partition does not have that offset. `findPositions` asks brokers, and `startPosition` judges one partition by
// their answers. A check shows the positions (`askPositions`); a run acts by them (`decidePositions`): it asks again, warns or stops.

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
  /** The partition does not have the committed offset. By the policy reading goes on at `offset`; `undefined` when it is to stop. */
  | { readonly from: 'out of range'; readonly side: GoneSide; readonly offset: bigint | undefined }

/** The facts by which a partition is judged. */
interface StartFacts {
  /** The committed offset, which is the next to read. `undefined` when none is committed, or it does not count. */
  readonly committed: bigint | undefined
  /** The first offset of the partition, and its end for a consumer that reads only committed records. */
  readonly range: OffsetRange
  /** The offset that the start policy gives. */
  readonly startAt: bigint
  readonly outOfRange: OutOfRangePolicy
  /** The high watermark, which counts records of open transactions: a consumer that reads uncommitted records may have committed
   *  offsets of them. Default: the end of the range. */
  readonly watermark?: bigint | undefined
  /** Whether the committed offset is of an earlier topic of this name. */
  readonly isRecreated?: boolean
}

/** Decides where reading of one partition begins. */
export function startPosition(facts: StartFacts): StartPosition {
  const { committed, range, startAt, outOfRange, watermark = range.high, isRecreated = false } = facts
  const { low, high } = range
  if (committed === undefined) return { from: 'start', offset: clamped(startAt, range) }
  if (!isRecreated && committed >= low && committed <= watermark) return { from: 'committed', offset: committed }
  const sideInTopic = committed < low ? 'below' : 'above'
  const offsets = { earliest: low, latest: high, stop: undefined }
  return { from: 'out of range', side: isRecreated ? 'recreated' : sideInTopic, offset: offsets[outOfRange] }
}

function clamped(offset: bigint, { low, high }: OffsetRange): bigint {
  if (offset < low) return low
  return offset > high ? high : offset
}

export type OffsetQuestions = Pick<KafkaAdmin, 'ranges' | 'watermarks' | 'offsetsAt' | 'committed' | 'topicIds'>

/** How reading of a topic begins: by a start policy where nothing is committed, or at given offsets by partition, whatever is committed. */
export type ReadingStart = Start | { readonly offsets: ReadonlyMap<number, bigint> }

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
  /** The committed offset. `undefined` when none is known. */
  readonly committed: bigint | undefined
  /** The id that tells the topic from an earlier one of its name. `undefined` when brokers give none. */
  readonly topicId: string | undefined
  readonly found: StartPosition
}

/** Finds where reading of each partition of a topic would begin now, in the order of partitions.
 *  @param group whose committed offsets count; `undefined` when they cannot be asked for @throws what the questions throw */
export async function askPositions(
  questions: OffsetQuestions,
  topic: string,
  policies: TopicPolicies,
  group: string | undefined,
): Promise<readonly FoundPosition[]> {
  const topicId = (await questions.topicIds([topic])).get(topic)
  // before the ranges: a range that was asked for earlier might end below a newer committed offset
  const committed = group === undefined ? [] : await questions.committed(group, [topic])
  const found = await findPositions(questions, topic, { ...policies, topicId }, committed)
  return found.toSorted((a, b) => a.partition - b.partition)
}

/** Finds the positions of all partitions of a topic.
 *  @param known its policies and id. The id must have been asked for before all else: where the topic is created again meanwhile, the
 *  positions then carry the old id, and that is noticed later @param allCommitted committed offsets, maybe of other topics too */
export async function findPositions(
  questions: Omit<OffsetQuestions, 'committed'>,
  topic: string,
  known: TopicPolicies & { readonly topicId: string | undefined },
  allCommitted: readonly CommittedPosition[],
): Promise<readonly FoundPosition[]> {
  const { start, outOfRange, topicId } = known
  const ranges = await questions.ranges(topic)
  const startOf = await startsBy(questions, topic, start)
  const committedOf = new Map(allCommitted.filter((one) => one.topic === topic).map((one) => [one.partition, one]))
  const isAnyAbove = [...ranges].some(([partition, { high }]) => (committedOf.get(partition)?.offset ?? 0n) > high)
  // asked for only when they matter, because that takes another connection
  const watermarks = isAnyAbove ? await questions.watermarks(topic) : undefined
  return Array.from(ranges, ([partition, range]) => {
    const { offset: committed, topicId: committedId } = committedOf.get(partition) ?? {}
    const isRecreated = committedId !== undefined && topicId !== undefined && committedId !== topicId
    const watermark = watermarks?.get(partition)
    const facts = { range, startAt: startOf(partition, range), outOfRange, watermark, isRecreated }
    const found = startPosition({ ...facts, committed: isGiven(start) ? undefined : committed })
    return { partition, range, committed, topicId, found }
  })
}

function isGiven(start: ReadingStart): start is Exclude<ReadingStart, Start> {
  return typeof start === 'object' && 'offsets' in start
}

/** @returns a function that gives the offset at which a partition begins if nothing is committed */
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
  /** Whether this is neither the committed offset nor a given one. It is then committed before reading begins; otherwise a restart before
   *  the first commit would decide again, and skip records written meanwhile where reading begins at the end. */
  readonly isNew: boolean
  /** A message for the log, for a committed offset that was out of range. */
  readonly warning?: string
}

/** Decides where reading of assigned partitions begins. @returns `unsure` when `isSure` would make a difference: call it again
 *  @param isSure whether to believe that a committed offset is above the end, or that its topic was created again. Both may be wrong for a
 *  moment: a new leader may not know the end yet, nor a broker the new topic. So call it a few times with `false` first
 *  @throws ConnectorError when an offset is out of range and the policy is to stop; what the questions throw */
export async function decidePositions(
  questions: OffsetQuestions,
  policies: PositionPolicies,
  assigned: readonly TopicPartition[],
  isSure: boolean,
): Promise<readonly DecidedPosition[] | 'unsure'> {
  const topics = [...new Set(assigned.map(({ topic }) => topic))]
  const ids = await questions.topicIds(topics)
  // before the ranges, as in `askPositions`
  const committed = await questions.committed(policies.group, topics)
  const decided: DecidedPosition[] = []
  for (const topic of topics) {
    const policy = { start: policies.startOf(topic), outOfRange: policies.outOfRangeOf(topic), topicId: ids.get(topic) }
    const found = await findPositions(questions, topic, policy, committed)
    for (const { partition } of assigned.filter((one) => one.topic === topic)) {
      const position = found.find((one) => one.partition === partition)
      if (!position) throw new Error(`partition ${partition} of topic ${topic} is not known yet`)
      const decision = decide({ topic, partition }, position, isSure)
      if (decision === 'unsure') return decision
      decided.push({ ...decision, isNew: decision.isNew && !isGiven(policy.start) })
    }
  }
  return decided
}

/** Decides where one partition begins, by its position that was found. Parameters, `unsure` and errors are as of `decidePositions`. */
export function decide(
  at: TopicPartition,
  { range, committed, found, topicId }: Omit<FoundPosition, 'partition'>,
  isSure: boolean,
): DecidedPosition | 'unsure' {
  const { high } = range
  if (found.from !== 'out of range')
    return { ...at, offset: found.offset, high, topicId, isNew: found.from === 'start' }
  if (!isSure && found.side !== 'below') return 'unsure'
  if (found.offset === undefined) throw outOfRange(at, committed!, range, found.side)
  const warning = outOfRangeWarning(at, committed!, range, { ...found, offset: found.offset })
  return { ...at, offset: found.offset, high, topicId, isNew: true, warning }
}
