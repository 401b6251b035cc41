// Where reading of assigned partitions begins: at the committed offset, otherwise by the start policy. And what happens if that
// offset is out of range.

import type { OutOfRangePolicy, StartPolicy } from '../../config/stream/stream-config.ts'
import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { KafkaAdmin } from './admin.ts'
import type { CommittedPosition, OffsetRange, TopicPartition } from '../types.ts'
import type { Clock } from '../../core/types.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import type { AssignedPartition, AssignedPosition, Membership } from './membership.ts'
import type { PartitionReader } from './partition-reader.ts'
import { metadataOf } from './topic-ids.ts'
import { asError } from '../../process/waiting.ts'
import type { Consumer } from 'kafkajs'

export type StartPosition =
  /** Reading goes on at the committed offset. */
  | { readonly from: 'committed'; readonly offset: bigint }
  /** Nothing was committed, so by the start policy. */
  | { readonly from: 'start'; readonly offset: bigint }
  /** The committed offset is below the first record, above the end, or of an earlier topic of this name. `offset` follows the
   *  policy; undefined means stop. */
  | { readonly from: 'out of range'; readonly side: 'below' | 'above' | 'anew'; readonly offset: bigint | undefined }

/** @param committed the next offset to read; undefined or negative if there is none
 *  @param startAt the offset that the start policy gives
 *  @param watermark one after the last record, those of open transactions included: a consumer that reads uncommitted records may
 *  have committed offsets of them
 *  @param isAnew the committed offset is of an earlier topic of this name */
export function startPosition(
  committed: bigint | undefined,
  range: OffsetRange,
  startAt: bigint,
  policy: OutOfRangePolicy,
  watermark: bigint = range.high,
  isAnew = false,
): StartPosition {
  const { low, high } = range
  // kafkajs commits -1 and -2 for "the end" and "the beginning"
  if (committed === undefined || committed < 0n) return { from: 'start', offset: within(startAt, range) }
  if (!isAnew && committed >= low && committed <= watermark) return { from: 'committed', offset: committed }
  const side = isAnew ? 'anew' : committed < low ? 'below' : 'above'
  const offset = policy === 'stop' ? undefined : policy === 'earliest' ? low : high
  return { from: 'out of range', side, offset }
}

export type OutOfRangeSide = Extract<StartPosition, { from: 'out of range' }>['side']

function within(offset: bigint, { low, high }: OffsetRange): bigint {
  return offset < low ? low : offset > high ? high : offset
}

export type OffsetQuestions = Pick<KafkaAdmin, 'ranges' | 'watermarks' | 'offsetsAt' | 'committed' | 'topicIds'>

export interface PositionPolicies {
  readonly group: string
  /** A map gives offsets by partition: they override committed offsets, and are not committed at the start. */
  startOf(topic: string): StartPolicy | ReadonlyMap<number, bigint>
  outOfRangeOf(topic: string): OutOfRangePolicy
}

/** The position where reading of a partition would begin now. */
export interface FoundPosition {
  readonly partition: number
  readonly range: OffsetRange
  /** Undefined if none is known. */
  readonly committed: bigint | undefined
  readonly topicId: string | undefined
  readonly found: StartPosition
}

/** The same with what the group has committed.
 *  @param group `undefined` when its offsets cannot be asked for
 *  @returns in the order of partitions
 *  @throws what the questions throw */
export async function askPositions(
  questions: OffsetQuestions,
  topic: string,
  policies: { readonly start: ReturnType<PositionPolicies['startOf']>; readonly outOfRange: OutOfRangePolicy },
  group: string | undefined,
): Promise<readonly FoundPosition[]> {
  const topicId = (await questions.topicIds([topic])).get(topic)
  // the committed offset first: a range that is asked for later is not behind it
  const committed = group === undefined ? [] : await questions.committed(group, [topic])
  const found = await findPositions(questions, topic, { ...policies, topicId }, committed)
  return found.toSorted((a, b) => a.partition - b.partition)
}

/** Finds the start of all partitions of the topic. @throws whatever the questions throw */
export async function findPositions(
  questions: Omit<OffsetQuestions, 'committed'>,
  topic: string,
  {
    start,
    outOfRange,
    topicId,
  }: {
    readonly start: ReturnType<PositionPolicies['startOf']>
    readonly outOfRange: OutOfRangePolicy
    /** Asked for before all else: what is found is of that topic, or of a later one, which is noticed later. */
    readonly topicId: string | undefined
  },
  committed: readonly CommittedPosition[],
): Promise<readonly FoundPosition[]> {
  const ranges = await questions.ranges(topic)
  const given = typeof start === 'object' && 'get' in start
  const starts = typeof start !== 'object' || given ? start : await questions.offsetsAt(topic, start.timestamp)
  const lasts = new Map(committed.filter((one) => one.topic === topic).map((one) => [one.partition, one]))
  // rarely so, and it takes another connection
  const isAbove = [...ranges].some(([partition, { high }]) => (lasts.get(partition)?.offset ?? 0n) > high)
  const watermarks = isAbove ? await questions.watermarks(topic) : undefined
  return Array.from(ranges, ([partition, range]) => {
    const { offset: last, topicId: lastId } = lasts.get(partition) ?? {}
    const isAnew = lastId !== undefined && topicId !== undefined && lastId !== topicId
    const startAt =
      typeof starts === 'object' ? (starts.get(partition) ?? range.low) : range[starts === 'latest' ? 'high' : 'low']
    return {
      partition,
      range,
      committed: last,
      topicId,
      found: startPosition(given ? undefined : last, range, startAt, outOfRange, watermarks?.get(partition), isAnew),
    }
  })
}

export interface DecidedPosition extends AssignedPosition {
  /** Whether this differs from the committed offset. It is then committed before reading begins: otherwise a restart before the
   *  first commit would decide again, and skip the records written meanwhile. */
  readonly isNew: boolean
  /** For the log, if the offset was out of range. */
  readonly warning?: string
}

/** @param isSure whether to believe that a committed offset is above the end, or that its topic is another one. A new leader may not
 *  know the end yet, nor a broker the new topic, so ask a few times first.
 *  @throws ConnectorError if an offset is out of range and the policy is to stop; whatever the questions throw */
export async function decidePositions(
  questions: OffsetQuestions,
  policies: PositionPolicies,
  assigned: readonly TopicPartition[],
  isSure: boolean,
): Promise<readonly DecidedPosition[]> {
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
      decided.push({ ...next, isNew: next.isNew && !(typeof policy.start === 'object' && 'get' in policy.start) })
    }
  }
  return decided
}

/** @throws ConnectorError if the policy is to stop */
function decide(
  at: TopicPartition,
  { range, committed, found, topicId }: Omit<FoundPosition, 'partition'>,
  isSure: boolean,
): DecidedPosition {
  const { high } = range
  if (found.from !== 'out of range')
    return { ...at, offset: found.offset, high, topicId, isNew: found.from === 'start' }
  const { topic, partition } = at
  // this may last only a moment
  if (!isSure && found.side !== 'below')
    throw new Error(`partition ${partition} of topic ${topic} ends before ${committed}, or is another one`)
  if (found.offset === undefined) throw outOfRange(at, committed!, range, found.side)
  const warning = outOfRangeWarning(at, committed!, range, { ...found, offset: found.offset })
  return { ...at, offset: found.offset, high, topicId, isNew: true, warning }
}

/** The warning that is logged under the other policies. */
export function outOfRangeWarning(
  at: TopicPartition,
  last: bigint,
  range: OffsetRange,
  { side, offset }: { readonly side: OutOfRangeSide; readonly offset: bigint },
): string {
  return `${outOfRangeText(at, last, range, side)} As \`out_of_range\` says, reading continues at offset ${offset}.`
}

/** The error under the policy `stop`. */
export function outOfRange(at: TopicPartition, last: bigint, range: OffsetRange, side: OutOfRangeSide): ConnectorError {
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
  side: OutOfRangeSide,
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

// Sets positions at the beginning of a generation, and when an offset is out of range.

export interface PositionerOptions {
  readonly questions: OffsetQuestions
  readonly policies: PositionPolicies
  readonly clock: Clock
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
  readonly membership: Membership
  readonly commits: CommitLine
  readonly reader: PartitionReader
  readonly log: (warning: string) => void
  readonly onAssigned: () => void
  /** A partition cannot be read further; what was read before is still to be settled. */
  readonly fail: (error: ConnectorError) => void
  /** Nothing can be read. A ConnectorError is final; after any other error a new client may succeed. */
  readonly end: (error: Error) => void
}

/** Thrown through kafkajs, which would otherwise jump to another offset. It retries without the partition, which is paused. */
class OffsetGone extends Error {
  readonly retriable = true
}

/** How often to ask before believing something that may last only a moment. */
const SURE_AFTER_TRIES = 3
const TRIES = 6
const ASK_AGAIN_MS = 1000
const FORBIDDEN = new Set(['TOPIC_AUTHORIZATION_FAILED', 'GROUP_AUTHORIZATION_FAILED'])

export class Positioner {
  readonly #options: PositionerOptions
  /** Partitions whose position is being found, or could not be. */
  readonly #moving = new WeakSet<AssignedPartition>()

  constructor(options: PositionerOptions) {
    this.#options = options
  }

  /** Finds positions, commits those that are new, and begins the generation; does nothing if another one began meanwhile. */
  async begin(ticket: number, partitions: readonly TopicPartition[]): Promise<void> {
    const { membership, reader, signal, log, onAssigned, end } = this.#options
    const isCurrent = (): boolean => membership.isCurrent(ticket) && !signal.aborted
    const decided = await this.#trying(isCurrent, end, (isSure) => this.#decide(partitions, isSure, isCurrent))
    if (!decided || !isCurrent()) return
    try {
      for (const { warning } of decided) if (warning !== undefined) log(warning)
      membership.assign(decided)
      reader.start(membership.owned)
      onAssigned()
    } catch (error) {
      end(asConnectorError(error))
    }
  }

  /** kafkajs found that an offset is out of range. It would commit "the beginning" or "the end" as the group's offset, so that no
   *  later run could know what was lost, and go on there.
   *  @throws always, which prevents both */
  outOfRange(at: TopicPartition): never {
    const { membership, reader, signal } = this.#options
    reader.stop([at])
    const owned = membership.isAssigned && !signal.aborted ? membership.find(at.topic, at.partition) : undefined
    if (owned) this.#begin(owned)
    throw new OffsetGone(`offset out of range in topic ${at.topic}, partition ${at.partition}`)
  }

  /** The topic of an assigned partition seems to have been deleted and created again. What was fetched is still handed on. */
  anew(owned: AssignedPartition): void {
    const { membership, reader, signal } = this.#options
    if (owned.isAnew || !membership.isAssigned || signal.aborted) return
    owned.isAnew = true
    reader.stop([owned])
    this.#begin(owned)
  }

  /** A partition was not fetched until its topic's id was asked for. */
  goOn(owned: AssignedPartition): void {
    const { membership, reader, signal } = this.#options
    const isCurrent = membership.isReading(owned) && membership.find(owned.topic, owned.partition) === owned
    if (!isCurrent || signal.aborted || this.#moving.has(owned)) return
    owned.isGone = false
    reader.start([owned])
  }

  #begin(owned: AssignedPartition): void {
    if (this.#moving.has(owned)) return
    this.#moving.add(owned)
    owned.isGone = true
    this.#recover(owned).catch((error: unknown) => this.#options.end(asConnectorError(error)))
  }

  async #decide(
    partitions: readonly TopicPartition[],
    isSure: boolean,
    isCurrent: () => boolean,
  ): Promise<readonly DecidedPosition[]> {
    const { questions, policies, commits } = this.#options
    const decided = await decidePositions(questions, policies, partitions, isSure)
    await commits.commit(() => (isCurrent() ? decided.filter(({ isNew }) => isNew) : []))
    return decided
  }

  async #recover(owned: AssignedPartition): Promise<void> {
    const { membership, reader, signal, log, fail } = this.#options
    const isCurrent = (): boolean =>
      membership.isAssigned && membership.find(owned.topic, owned.partition) === owned && !signal.aborted
    let failed: ConnectorError | undefined
    const end = (error: Error): void => {
      if (error instanceof ConnectorError) failed = error
      else this.#options.end(error)
    }
    const decided = await this.#trying(isCurrent, end, (isSure) => this.#goOn(owned, isSure, isCurrent))
    const said = failed?.message ?? decided?.warning
    // an error is said again when it ends the run, which may be long after
    if (said !== undefined && (decided || owned.isAnew) && isCurrent()) log(said)
    // records before it were fetched, though the broker may have deleted them; it may take as long as an outage
    if (said !== undefined) await reader.drained(owned)
    if (!isCurrent()) return
    if (failed) fail(failed)
    if (decided) this.#start(owned, decided)
  }

  #start(owned: AssignedPartition, decided: DecidedPosition): void {
    const { membership, reader } = this.#options
    this.#moving.delete(owned)
    if (decided.isNew) {
      const moved = membership.move(owned, decided)
      reader.move(owned, moved)
      reader.start([moved])
    } else {
      Object.assign(owned, { isGone: false, isAnew: false })
      reader.start([owned])
    }
  }

  async #goOn(owned: AssignedPartition, isSure: boolean, isCurrent: () => boolean): Promise<DecidedPosition> {
    const { questions, policies, commits } = this.#options
    const { topic, partition, next, topicId } = owned
    const at = { topic, partition }
    // it goes on where it is, so the start policy is not asked
    const ids = await questions.topicIds([topic])
    const policy = { start: 'earliest', outOfRange: policies.outOfRangeOf(topic), topicId: ids.get(topic) } as const
    const found = await findPositions(questions, topic, policy, [{ ...at, offset: next, topicId }])
    const position = found.find((one) => one.partition === partition)
    if (!position) throw new Error(`partition ${partition} of topic ${topic} is not there`)
    const known = await this.#fallen(owned, position)
    const isAnew = known.found.from === 'out of range' && known.found.side !== 'below'
    if (isSure) owned.isAnew = isAnew
    const decided = decide(at, known, isSure)
    // whatever is committed means records that are no more
    if (isAnew) await commits.commit(() => (isCurrent() ? [decided] : []))
    return decided
  }

  /** Without ids, only an end below an earlier one tells of another topic. */
  async #fallen(
    { isAnew, topic, partition, next, high, topicId }: AssignedPartition,
    position: FoundPosition,
  ): Promise<FoundPosition> {
    const { questions, policies } = this.#options
    if (!isAnew || topicId !== undefined || position.found.from === 'out of range') return position
    const end = (await questions.watermarks(topic)).get(partition)
    if (end === undefined || end >= high) return position
    return { ...position, found: startPosition(next, position.range, next, policies.outOfRangeOf(topic), end, true) }
  }

  async #trying<T>(
    isCurrent: () => boolean,
    end: (error: Error) => void,
    attempt: (isSure: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, signal } = this.#options
    for (let tries = 1; isCurrent(); tries++) {
      try {
        return await attempt(tries > SURE_AFTER_TRIES)
      } catch (error) {
        if (isFinal(error) || tries === TRIES) {
          end(asError(error))
          return undefined
        }
        await clock.wait(ASK_AGAIN_MS, signal)
      }
    }
    return undefined
  }
}

/** A missing permission is still missing a moment later. */
function isFinal(error: unknown): boolean {
  return error instanceof ConnectorError || FORBIDDEN.has(kafkaErrorType(error) ?? '')
}

// Commits of a kafkajs consumer, one after another, each confirmed.

export class CommitLine {
  readonly #consumer: Pick<Consumer, 'commitOffsets'>
  #last: Promise<void> = Promise.resolve()
  #taken = 0

  constructor(consumer: Pick<Consumer, 'commitOffsets'>) {
    this.#consumer = consumer
  }

  /** kafkajs's COMMIT_OFFSETS event came. */
  taken(): void {
    this.#taken++
  }

  /** @param positions called when earlier commits are done, to leave out partitions that are no longer owned by then
   *  @throws what kafkajs throws, and if kafkajs sent nothing */
  async commit(positions: () => readonly CommittedPosition[]): Promise<void> {
    const turn = this.#last.then(() => this.#send(positions()))
    this.#last = turn.catch(() => undefined)
    await turn
  }

  /** Resolves when no commit is in flight. */
  async done(): Promise<void> {
    await this.#last
  }

  async #send(positions: readonly CommittedPosition[]): Promise<void> {
    if (positions.length === 0) return
    const before = this.#taken
    await this.#consumer.commitOffsets(
      positions.map(({ topic, partition, offset, topicId }) => {
        const metadata = topicId === undefined ? {} : { metadata: metadataOf(topicId) }
        return { topic, partition, offset: `${offset}`, ...metadata }
      }),
    )
    // a client that is not running resolves without sending anything
    if (this.#taken === before) throw new Error('the client was not running')
  }
}
