// Sets where partitions are read on. A session calls `begin` when the group formed a generation, and while it lasts `outOfRange` and `anew`
// when a partition cannot be read on where it is: nothing of it is fetched then, until a position was found for it.

import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { asError } from '../../process/waiting.ts'
import type { TopicPartition } from '../types.ts'
import type { CommitLine } from './commits.ts'
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
  readonly commits: CommitLine
  readonly reader: PartitionReader
  readonly log: (warning: string) => void
  /** A partition cannot be read further; what was read before is still to be settled. */
  readonly fail: (error: ConnectorError) => void
  /** Nothing can be read. A ConnectorError is final; after any other error a new client may succeed. */
  readonly end: (error: Error) => void
}

/** How often to ask before believing something that may last only a moment. */
const SURE_AFTER_TRIES = 3
const MOST_TRIES = 6
const ASK_AGAIN_MS = 1000
/** Names in the protocol of errors that say a permission is missing. */
const FORBIDDEN = new Set(['TOPIC_AUTHORIZATION_FAILED', 'GROUP_AUTHORIZATION_FAILED'])

export class Positioner {
  readonly #options: PositionerOptions
  /** Partitions whose position is being found, or could not be. */
  readonly #positioning = new WeakSet<AssignedPartition>()

  constructor(options: PositionerOptions) {
    this.#options = options
  }

  /** Finds positions, commits those that are new, and begins the generation; does nothing if another one began meanwhile. */
  async begin(ticket: number, partitions: readonly TopicPartition[]): Promise<void> {
    const { questions, policies, commits, membership, reader, signal, log, end } = this.#options
    const isCurrent = (): boolean => membership.isCurrent(ticket) && !signal.aborted
    const decided = await this.#trying(isCurrent, end, async (isSure) => {
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

  /** The broker has no such offset as the partition's next one. */
  outOfRange(owned: AssignedPartition): void {
    if (this.#isCurrent(owned)) this.#findAgain(owned)
  }

  /** The topic of the partition seems to have been deleted and created again. What was fetched is still handed on. */
  anew(owned: AssignedPartition): void {
    if (owned.isAnew || !this.#isCurrent(owned)) return
    owned.isAnew = true
    this.#findAgain(owned)
  }

  /** The id of a topic was asked for, until which nothing of the partition was fetched. */
  goOn(owned: AssignedPartition): void {
    if (!this.#isCurrent(owned) || this.#positioning.has(owned)) return
    owned.isGone = false
    this.#options.reader.steer([owned])
  }

  #isCurrent(owned: AssignedPartition): boolean {
    const { membership, signal } = this.#options
    return !signal.aborted && membership.reading(owned.topic, owned.partition) === owned
  }

  #findAgain(owned: AssignedPartition): void {
    owned.isGone = true
    this.#options.reader.steer([owned])
    if (this.#positioning.has(owned)) return
    this.#positioning.add(owned)
    this.#recover(owned).catch((error: unknown) => this.#options.end(asConnectorError(error)))
  }

  /** Finds the position and goes on there, or fails, once what was fetched before is handed on. */
  async #recover(owned: AssignedPartition): Promise<void> {
    const { reader, log, fail } = this.#options
    const isCurrent = (): boolean => this.#isCurrent(owned)
    const { next } = owned
    let failed: ConnectorError | undefined
    const end = (error: Error): void => {
      if (error instanceof ConnectorError) failed = error
      else this.#options.end(error)
    }
    const decided = await this.#trying(isCurrent, end, (isSure) => this.#findNext(owned, isSure))
    const said = failed?.message ?? decided?.warning
    // an error is said again when it ends the run, which may be long after
    if (said !== undefined && (decided || owned.isAnew) && isCurrent()) log(said)
    // records before it were fetched, though the broker may have deleted them; it may take as long as an outage
    if (said !== undefined) await reader.drained(owned)
    if (!isCurrent()) return
    // what waited was dropped instead, and is missing as well
    if (owned.next < next) return this.#recover(owned)
    if (failed) fail(failed)
    if (decided) this.#continueAt(owned, decided)
  }

  #continueAt(owned: AssignedPartition, decided: DecidedPosition): void {
    const { membership, reader } = this.#options
    this.#positioning.delete(owned)
    if (decided.isNew) {
      const moved = membership.move(owned, decided)
      reader.move(owned, moved)
      reader.steer([moved])
    } else {
      Object.assign(owned, { isGone: false, isAnew: false })
      reader.steer([owned])
    }
  }

  async #findNext(owned: AssignedPartition, isSure: boolean): Promise<DecidedPosition | 'unsure'> {
    const { questions, policies, commits } = this.#options
    const { topic, partition, next, topicId } = owned
    const at = { topic, partition }
    // it goes on where it is, so the start policy is not asked
    const ids = await questions.topicIds([topic])
    const policy = { start: 'earliest', outOfRange: policies.outOfRangeOf(topic), topicId: ids.get(topic) } as const
    const found = await findPositions(questions, topic, policy, [{ ...at, offset: next, topicId }])
    const position = found.find((one) => one.partition === partition)
    if (!position) throw new Error(`partition ${partition} of topic ${topic} is not there`)
    const known = await this.#withFallenEnd(owned, position)
    const isAnew = known.found.from === 'out of range' && known.found.side !== 'below'
    if (isSure) owned.isAnew = isAnew
    const decided = decide(at, known, isSure)
    if (decided === 'unsure') return decided
    // whatever is committed means records that are no more
    if (isAnew) await commits.commit(() => (this.#isCurrent(owned) ? [decided] : []))
    return decided
  }

  /** Takes an end below an earlier one for the sign of another topic, where no id tells. */
  async #withFallenEnd(
    { isAnew, topic, partition, next, high, topicId }: AssignedPartition,
    position: FoundPosition,
  ): Promise<FoundPosition> {
    const { questions, policies } = this.#options
    if (!isAnew || topicId !== undefined || position.found.from === 'out of range') return position
    const end = (await questions.watermarks(topic)).get(partition)
    if (end === undefined || end >= high) return position
    const facts = { committed: next, startAt: next, watermark: end, isAnew: true }
    const found = startPosition({ ...facts, range: position.range, outOfRange: policies.outOfRangeOf(topic) })
    return { ...position, found }
  }

  /** Makes attempts until one succeeds, is final, or was the last.
   *  @param attempt is told whether to be sure by now of what may last only a moment; `unsure` when it is to be made again
   *  @param end called with the error of the last attempt
   *  @returns `undefined` when it is not current any more, or `end` was called */
  async #trying<T>(
    isCurrent: () => boolean,
    end: (error: Error) => void,
    attempt: (isSure: boolean) => Promise<T | 'unsure'>,
  ): Promise<T | undefined> {
    const { clock, signal } = this.#options
    for (let tries = 1; isCurrent(); tries++) {
      try {
        const result = await attempt(tries > SURE_AFTER_TRIES)
        if (result !== 'unsure') return result
      } catch (error) {
        if (isFinal(error) || tries === MOST_TRIES) {
          end(asError(error))
          return undefined
        }
      }
      await clock.wait(ASK_AGAIN_MS, signal)
    }
    return undefined
  }
}

/** A missing permission is still missing a moment later. */
function isFinal(error: unknown): boolean {
  return error instanceof ConnectorError || FORBIDDEN.has(kafkaErrorType(error) ?? '')
}
