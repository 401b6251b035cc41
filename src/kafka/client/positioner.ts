// Sets the offsets at which partitions are read on. A session calls `begin` when the group has assigned partitions, and until the next
// rebalance `outOfRange` or `recreated` when one cannot be read on where it is: nothing of it is fetched until a position was found.

import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { asError } from '../../process/waiting.ts'
import type { TopicPartition } from '../types.ts'
import type { CommitQueue } from './commits.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import type { Membership, AssignedPartition } from './membership.ts'
import type { PartitionReader } from './partition-reader.ts'
import { decidePositions, findPositions, decide, startPosition } from './positions.ts'
import type { OffsetQuestions, PositionPolicies, DecidedPosition, FoundPosition } from './positions.ts'

export interface PositionerOptions {
  readonly questions: OffsetQuestions
  readonly policies: PositionPolicies
  readonly clock: Clock
  /** Aborts when the session ends. */
  readonly signal: AbortSignal
  readonly membership: Membership
  readonly commits: CommitQueue
  readonly reader: PartitionReader
  readonly log: (warning: string) => void
  /** Ends fetching, while records that were read before are still settled. Called when a partition cannot be read further. */
  readonly fail: (error: ConnectorError) => void
  /** Ends the session. Called when nothing can be read. A ConnectorError is final; after any other error a new client may succeed. */
  readonly end: (error: Error) => void
}

/** How often to ask before an answer is believed that may be wrong for a moment (`isSure` in positions.ts), and how often at most. */
const SURE_AFTER_TRIES = 3
const MOST_TRIES = 6
const ASK_AGAIN_MS = 1000
/** The protocol's names of errors that say a permission is missing, which it still is a moment later. */
const FORBIDDEN = new Set(['TOPIC_AUTHORIZATION_FAILED', 'GROUP_AUTHORIZATION_FAILED'])

export class Positioner {
  readonly #options: PositionerOptions
  /** Partitions whose position is being found, or could not be found. */
  readonly #positioning = new WeakSet<AssignedPartition>()

  constructor(options: PositionerOptions) {
    this.#options = options
  }

  /** Finds positions, commits those that are new, and assigns the partitions there; stops once the generation is over.
   *  @param ticket of the generation, from `Membership.joined` */
  async begin(ticket: number, partitions: readonly TopicPartition[]): Promise<void> {
    const { questions, policies, commits, membership, reader, signal, log, end } = this.#options
    const isCurrent = (): boolean => membership.isCurrent(ticket) && !signal.aborted
    const decided = await this.#retrying(isCurrent, end, async (isSure) => {
      const found = await decidePositions(questions, policies, partitions, isSure)
      if (found !== 'unsure') await commits.commit(() => (isCurrent() ? found.filter(({ isNew }) => isNew) : []))
      return found
    })
    if (!decided || !isCurrent()) return
    try {
      for (const { warning } of decided) if (warning !== undefined) log(warning)
      membership.assign(decided)
      reader.start()
    } catch (error) {
      end(asConnectorError(error))
    }
  }

  /** To be called when the broker has no such offset as the partition's `next`. */
  outOfRange(owned: AssignedPartition): void {
    if (this.#isCurrent(owned)) this.#findAgain(owned)
  }

  /** To be called when the topic of the partition seems to have been deleted and created again. Records fetched before are handed on. */
  recreated(owned: AssignedPartition): void {
    if (owned.isRecreated || !this.#isCurrent(owned)) return
    owned.isRecreated = true
    this.#findAgain(owned)
  }

  /** To be called when the topic's id was asked for: until then the session has nothing of the partition fetched (`awaitsPosition`). */
  idChecked(owned: AssignedPartition): void {
    if (!this.#isCurrent(owned) || this.#positioning.has(owned)) return
    owned.awaitsPosition = false
    this.#options.reader.updateFetching([owned])
  }

  #isCurrent(owned: AssignedPartition): boolean {
    const { membership, signal } = this.#options
    return !signal.aborted && membership.reading(owned.topic, owned.partition) === owned
  }

  #findAgain(owned: AssignedPartition): void {
    owned.awaitsPosition = true
    this.#options.reader.updateFetching([owned])
    if (this.#positioning.has(owned)) return
    this.#positioning.add(owned)
    this.#recover(owned).catch((error: unknown) => this.#options.end(asConnectorError(error)))
  }

  /** Finds the position and goes on there, or fails, once all that was fetched before is handed on. */
  async #recover(owned: AssignedPartition): Promise<void> {
    const { reader, log, fail, end } = this.#options
    const isCurrent = (): boolean => this.#isCurrent(owned)
    const { next: nextBefore } = owned
    let failure: ConnectorError | undefined
    const keepFailure = (error: Error): void => {
      if (error instanceof ConnectorError) failure = error
      else end(error)
    }
    const decided = await this.#retrying(isCurrent, keepFailure, (isSure) => this.#findNext(owned, isSure))
    const message = failure?.message ?? decided?.warning
    // a failure is logged when it ends the run, which may be long after; that of a topic created again is logged here already
    if (message !== undefined && (decided || owned.isRecreated) && isCurrent()) log(message)
    // waits, since records that were fetched must not be dropped: the broker may have deleted them. That may take as long as an outage
    if (message !== undefined) await reader.drained(owned)
    if (!isCurrent()) return
    // records were dropped all the same, so the position was found for an offset that is not the next one any more
    if (owned.next < nextBefore) return this.#recover(owned)
    if (failure) fail(failure)
    if (decided) this.#continueAt(owned, decided)
  }

  #continueAt(owned: AssignedPartition, decided: DecidedPosition): void {
    const { membership, reader } = this.#options
    this.#positioning.delete(owned)
    if (decided.isNew) {
      const moved = membership.move(owned, decided)
      reader.move(owned, moved)
      reader.updateFetching([moved])
    } else {
      Object.assign(owned, { awaitsPosition: false, isRecreated: false })
      reader.updateFetching([owned])
    }
  }

  /** Finds the position as if `next` were the committed offset. Commits it if the topic was created again or lost records. */
  async #findNext(owned: AssignedPartition, isSure: boolean): Promise<DecidedPosition | 'unsure'> {
    const { questions, policies, commits } = this.#options
    const { topic, partition, next, topicId } = owned
    const at = { topic, partition }
    const ids = await questions.topicIds([topic])
    // `start` is not used where an offset is committed
    const policy = { start: 'earliest', outOfRange: policies.outOfRangeOf(topic), topicId: ids.get(topic) } as const
    const found = await findPositions(questions, topic, policy, [{ ...at, offset: next, topicId }])
    const position = found.find((one) => one.partition === partition)
    if (!position) throw new Error(`partition ${partition} of topic ${topic} is not there`)
    const judged = await this.#judgeByEnd(owned, position)
    // an offset above the end means the same: that record is no more, and others will get its offset
    const isRecreated = judged.found.from === 'out of range' && judged.found.side !== 'below'
    if (isSure) owned.isRecreated = isRecreated
    const decided = decide(at, judged, isSure)
    if (decided === 'unsure') return decided
    // otherwise a restart would take the offset committed before for one of the new records
    if (isRecreated) await commits.commit(() => (this.#isCurrent(owned) ? [decided] : []))
    return decided
  }

  /** Takes an end below an earlier one for proof that the topic was created again, where no id tells. @returns the position by that */
  async #judgeByEnd(
    { isRecreated, topic, partition, next, high, topicId }: AssignedPartition,
    position: FoundPosition,
  ): Promise<FoundPosition> {
    const { questions, policies } = this.#options
    if (!isRecreated || topicId !== undefined || position.found.from === 'out of range') return position
    const end = (await questions.watermarks(topic)).get(partition)
    if (end === undefined || end >= high) return position
    const facts = { committed: next, startAt: next, watermark: end, isRecreated: true }
    const found = startPosition({ ...facts, range: position.range, outOfRange: policies.outOfRangeOf(topic) })
    return { ...position, found }
  }

  /** Makes attempts until one succeeds, cannot be helped by another, or was the last, whose error `giveUp` is called with.
   *  @param attempt is told whether to believe answers that may be wrong for a moment; returns `unsure` to be made again
   *  @returns `undefined` when `isCurrent` no longer holds, or `giveUp` was called */
  async #retrying<T>(
    isCurrent: () => boolean,
    giveUp: (error: Error) => void,
    attempt: (isSure: boolean) => Promise<T | 'unsure'>,
  ): Promise<T | undefined> {
    const { clock, signal } = this.#options
    for (let tries = 1; isCurrent(); tries++) {
      try {
        const result = await attempt(tries > SURE_AFTER_TRIES)
        if (result !== 'unsure') return result
      } catch (error) {
        if (isFinal(error) || tries === MOST_TRIES) {
          giveUp(asError(error))
          return undefined
        }
      }
      await clock.wait(ASK_AGAIN_MS, signal)
    }
    return undefined
  }
}

/** Whether another attempt cannot help. */
function isFinal(error: unknown): boolean {
  return error instanceof ConnectorError || FORBIDDEN.has(kafkaErrorType(error) ?? '')
}
