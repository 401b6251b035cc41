// Where reading goes on: at the beginning of a generation, and when an offset turns out to be gone.

import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import type { CommitLine } from './commit-line.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import type { AssignedPartition, Membership } from './membership.ts'
import type { PartitionReader } from './partition-reader.ts'
import { decidePositions, isBehindEnd, outOfRange, outOfRangeWarning, startPosition } from './positions.ts'
import type { DecidedPosition, OffsetQuestions, PositionPolicies } from './positions.ts'
import { asError } from './waiting.ts'
import type { TopicPartition } from '../types.ts'

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
    const decided = await this.#trying(isCurrent, (isSure) => this.#decide(partitions, isSure, isCurrent))
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
      void this.#recover(owned)
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
    const { membership, reader, signal } = this.#options
    const isCurrent = (): boolean =>
      membership.isAssigned && membership.find(owned.topic, owned.partition) === owned && !signal.aborted
    // what lies before it is still to be handed on, though it may be gone at the broker
    await reader.drained(owned)
    const warning = await this.#trying(isCurrent, (isSure) => this.#goOn(owned, isSure))
    if (warning === undefined || !isCurrent()) return
    if (warning !== '') this.#options.log(warning)
    owned.isGone = false
    reader.start([owned])
  }

  /** @returns what is to be logged of it; undefined: it cannot */
  async #goOn(owned: AssignedPartition, isSure: boolean): Promise<string | undefined> {
    const { questions, policies } = this.#options
    const { topic, partition, next } = owned
    const range = (await questions.ranges(topic)).get(partition)
    if (!range) throw new Error(`partition ${partition} of topic ${topic} is not there`)
    const found = startPosition(next, range, next, policies.outOfRangeOf(topic))
    if (found.from !== 'out of range') return ''
    if (!isSure && isBehindEnd(found)) throw new Error(`partition ${partition} of topic ${topic} ends before ${next}`)
    if (found.offset === undefined) {
      this.#options.fail(outOfRange(owned, next, range))
      return undefined
    }
    owned.next = found.offset
    owned.high = range.high
    return outOfRangeWarning(owned, next, range, found.offset)
  }

  async #trying<T>(isCurrent: () => boolean, attempt: (isSure: boolean) => Promise<T>): Promise<T | undefined> {
    const { clock, signal, end } = this.#options
    for (let tries = 1; isCurrent(); tries++) {
      try {
        return await attempt(tries > SURE_AFTER_TRIES)
      } catch (error) {
        if (isFinal(error) || tries === TRIES) end(asError(error))
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
