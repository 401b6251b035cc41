// Where reading of newly assigned partitions begins: at what the group committed, else by the start policy; and what is wrong when
// that is out of range.

import type { OutOfRangePolicy, StartPolicy } from '../../config/stream/stream-config.ts'
import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { KafkaAdmin } from './admin.ts'
import type { TopicPartition, PartitionPosition } from '../types.ts'
import type { Clock } from '../../core/types.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import type { AssignedPartition, Membership } from './membership.ts'
import type { PartitionReader } from './partition-reader.ts'
import { asError } from './waiting.ts'
import type { Consumer } from 'kafkajs'

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
  /** Offsets of some partitions: whatever the group has committed, and without a commit of them. */
  startOf(topic: string): StartPolicy | ReadonlyMap<number, bigint>
  outOfRangeOf(topic: string): OutOfRangePolicy
}

/** Where reading of a partition would begin as it is now. */
export interface FoundPosition {
  readonly partition: number
  readonly range: OffsetRange
  /** undefined: none, or not known. */
  readonly committed: bigint | undefined
  readonly found: StartPosition
}

/** Of all partitions of the topic. @throws whatever the questions throw */
export async function findPositions(
  questions: Pick<OffsetQuestions, 'ranges' | 'offsetsAt'>,
  topic: string,
  {
    start,
    outOfRange,
  }: { readonly start: ReturnType<PositionPolicies['startOf']>; readonly outOfRange: OutOfRangePolicy },
  committed: readonly PartitionPosition[],
): Promise<readonly FoundPosition[]> {
  const ranges = await questions.ranges(topic)
  const given = typeof start === 'object' && 'get' in start
  const starts = typeof start !== 'object' || given ? start : await questions.offsetsAt(topic, start.timestamp)
  return Array.from(ranges, ([partition, range]) => {
    const last = committed.find((one) => one.topic === topic && one.partition === partition)?.offset
    const startAt =
      typeof starts === 'object' ? (starts.get(partition) ?? range.low) : range[starts === 'latest' ? 'high' : 'low']
    return {
      partition,
      range,
      committed: last,
      found: startPosition(given ? undefined : last, range, startAt, outOfRange),
    }
  })
}

export interface DecidedPosition extends PartitionPosition {
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
    const policy = { start: policies.startOf(topic), outOfRange: policies.outOfRangeOf(topic) }
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

/** @throws ConnectorError where the policy is to stop */
function decide(
  at: TopicPartition,
  { range, committed, found }: Omit<FoundPosition, 'partition'>,
  isSure: boolean,
): DecidedPosition {
  const { high } = range
  if (found.from !== 'out of range') return { ...at, offset: found.offset, high, isNew: found.from === 'start' }
  const { topic, partition } = at
  // perhaps only for a moment
  if (!isSure && found.side === 'above')
    throw new Error(`partition ${partition} of topic ${topic} ends before ${committed}`)
  if (found.offset === undefined) throw outOfRange(at, committed!, range)
  const warning = outOfRangeWarning(at, committed!, range, found.offset)
  return { ...at, offset: found.offset, high, isNew: true, warning }
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

// Where reading goes on: at the beginning of a generation, and when an offset turns out to be gone.

export interface PositionerOptions {
  readonly questions: OffsetQuestions
  readonly policies: PositionPolicies
  readonly clock: Clock
  /** Aborts when nothing of it matters any more. */
  readonly signal: AbortSignal
  readonly membership: Membership
  readonly commits: CommitLine
  readonly reader: PartitionReader
  readonly log: (warning: string) => void
  readonly onAssigned: () => void
  /** A partition cannot be read on, and what was read of it and others is still to be settled. */
  readonly fail: (error: ConnectorError) => void
  /** Nothing can be read: a ConnectorError is final, with anything else another client may be luckier. */
  readonly end: (error: Error) => void
}

/** Thrown through kafkajs, which would otherwise go on somewhere else. It tries again then, without that partition. */
class OffsetGone extends Error {
  readonly retriable = true
}

/** What may be only for a moment is asked so often before it is believed. */
const SURE_AFTER_TRIES = 3
const TRIES = 6
const ASK_AGAIN_MS = 1000
const FORBIDDEN = new Set(['TOPIC_AUTHORIZATION_FAILED', 'GROUP_AUTHORIZATION_FAILED'])

export class Positioner {
  readonly #options: PositionerOptions

  constructor(options: PositionerOptions) {
    this.#options = options
  }

  /** Decides, commits what was decided anew, and begins the generation; nothing if it is void by then. */
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

  /** kafkajs found that an offset is gone. It would commit "the beginning" or "the end" as the group's offset, so that no
   *  later run could know what was lost, and go on there.
   *  @throws always: that keeps it from both */
  outOfRange(at: TopicPartition): never {
    const { membership, reader, signal } = this.#options
    reader.stop([at])
    const owned = membership.isAssigned && !signal.aborted ? membership.find(at.topic, at.partition) : undefined
    if (owned && !owned.isGone) {
      owned.isGone = true
      this.#recover(owned).catch((error: unknown) => this.#options.end(asConnectorError(error)))
    }
    throw new OffsetGone(`offset out of range in topic ${at.topic}, partition ${at.partition}`)
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
    // what lies before it is still to be handed on, though it may be gone at the broker
    await reader.drained(owned)
    const end = (error: Error): void => {
      if (error instanceof ConnectorError) fail(error)
      else this.#options.end(error)
    }
    const decided = await this.#trying(isCurrent, end, (isSure) => this.#goOn(owned, isSure))
    if (decided === undefined || !isCurrent()) return
    const { offset, high, warning } = decided
    if (warning !== undefined) {
      log(warning)
      Object.assign(owned, { next: offset, high })
    }
    owned.isGone = false
    reader.start([owned])
  }

  async #goOn({ topic, partition, next }: AssignedPartition, isSure: boolean): Promise<DecidedPosition> {
    const { questions, policies } = this.#options
    const range = (await questions.ranges(topic)).get(partition)
    if (!range) throw new Error(`partition ${partition} of topic ${topic} is not there`)
    const found = startPosition(next, range, next, policies.outOfRangeOf(topic))
    return decide({ topic, partition }, { range, committed: next, found }, isSure)
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

/** What a broker does not allow it does not allow a moment later either. */
function isFinal(error: unknown): boolean {
  return error instanceof ConnectorError || FORBIDDEN.has(kafkaErrorType(error) ?? '')
}

// Commits of a kafkajs consumer, one after another, each known to have arrived.

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

  /** @param positions asked for when it is their turn: what is no longer owned then is not sent
   *  @throws what kafkajs throws; also when kafkajs sent nothing */
  async commit(positions: () => readonly PartitionPosition[]): Promise<void> {
    const turn = this.#last.then(() => this.#send(positions()))
    this.#last = turn.catch(() => undefined)
    await turn
  }

  async done(): Promise<void> {
    await this.#last
  }

  async #send(positions: readonly PartitionPosition[]): Promise<void> {
    if (positions.length === 0) return
    const before = this.#taken
    await this.#consumer.commitOffsets(
      positions.map(({ topic, partition, offset }) => ({ topic, partition, offset: `${offset}` })),
    )
    // a client that is not running yet, or no longer, resolves without having sent anything
    if (this.#taken === before) throw new Error('the client was not running')
  }
}
