// The assignment of this process in its group. Ensures the order of events: assigned, then revoked or lost, then assigned. It
// outlives each client.

import type { Clock } from '../../core/types.ts'
import type { CommittedPosition, MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'

/** A partition of the current generation. */
export interface AssignedPartition extends TopicPartition {
  /** The offset that the next fetch must begin at. */
  next: bigint
  /** The end of the partition, from the last fetch or from `EndOffsets`. */
  high: bigint
  /** Whether the connector paused it. */
  isHeld: boolean
  /** When it was last paused. */
  heldAt: number
  /** Whether nothing of it is fetched: its offset is out of range or its topic may be another one, and its position is being found. */
  isGone: boolean
  /** The id of its topic at that position. `undefined` when brokers give none. */
  readonly topicId: string | undefined
  /** Whether its topic seems to be another one now, so none of its offsets is committed. */
  isAnew: boolean
}

/** The position where reading of a partition begins or goes on. */
export interface AssignedPosition extends PartitionPosition {
  /** The partition's end. */
  readonly high: bigint
  readonly topicId?: string | undefined
}

export interface MembershipTimes {
  /** Without a heartbeat for so long, the group drops a member. */
  readonly sessionTimeoutMs: number
  /** A group that rebalances waits so long for a member to rejoin, however often its heartbeats are answered. */
  readonly rebalanceTimeoutMs: number
}

/** The time that the rejoin itself may take. */
const MARGIN_MS = 2000

/** The state of a generation; absent when there is none, or its positions are not found yet. */
type State = 'absent' | 'assigned' | 'revoking'

export class Membership {
  readonly #events: MemberEvents
  readonly #clock: Clock
  readonly #times: MembershipTimes
  readonly #owned = new Map<string, AssignedPartition>()
  #state: State = 'absent'
  /** Counts generations and their ends: `isCurrent` tells by it whether one is over. */
  #ticket = 0
  /** When the last heartbeat was sent that succeeded, and the last whose answer knew of no rebalance. */
  #heardAt = -Infinity
  #steadyAt = -Infinity
  #giveUp = new AbortController()
  #revoked: Promise<void> = Promise.resolve()
  generation: string | undefined
  /** Whether the group has no member of this process: leaving was confirmed, or it never joined. */
  hasLeft = true

  constructor(events: MemberEvents, clock: Clock, times: MembershipTimes) {
    this.#events = events
    this.#clock = clock
    this.#times = times
  }

  get isAssigned(): boolean {
    return this.#state === 'assigned'
  }

  /** Whether there are assigned partitions that are neither revoked nor lost yet. */
  get hasAssignment(): boolean {
    return this.#state !== 'absent'
  }

  /** A heartbeat succeeded.
   *  @param at when it was sent: the process may have slept before it read the answer
   *  @param isSteady whether the answer said that no rebalance had begun */
  heard(at: number, isSteady = true): void {
    if (at > this.#heardAt) this.#heardAt = at
    if (isSteady && at > this.#steadyAt) this.#steadyAt = at
  }

  /** @param forMs whether that stays true for this time even if no further heartbeat is answered and a rebalance has begun */
  isMember(forMs = 0): boolean {
    const isHeard = this.#clock.now() - this.#heardAt < this.#times.sessionTimeoutMs - forMs
    const leftMs = this.#state === 'revoking' ? this.rejoinMs : this.#evictedInMs
    return this.hasAssignment && isHeard && forMs < leftMs
  }

  /** The time left until this member must rejoin, or the group may go on without it. */
  get rejoinMs(): number {
    return this.#evictedInMs - Math.min(MARGIN_MS, this.#times.rebalanceTimeoutMs / 4)
  }

  /** A rebalance may have begun right behind the last heartbeat that knew of none. */
  get #evictedInMs(): number {
    return this.#steadyAt + this.#times.rebalanceTimeoutMs - this.#clock.now()
  }

  /** A generation began; its positions are not found yet.
   *  @returns its ticket, valid until the generation ends */
  joined(generation: string): number {
    this.lost('the group began another generation')
    this.generation = generation
    return this.#ticket
  }

  isCurrent(ticket: number): boolean {
    return ticket === this.#ticket
  }

  assign(positions: readonly AssignedPosition[]): void {
    this.#state = 'assigned'
    for (const position of positions) this.#own(position)
    this.#events.assigned(positions.map(({ topic, partition, offset }) => ({ topic, partition, offset })))
  }

  /** An assigned partition goes on elsewhere. What is still to be committed of it is left out from now on (`stillOwned`). */
  move({ isHeld, heldAt }: AssignedPartition, position: AssignedPosition): AssignedPartition {
    return Object.assign(this.#own(position), { isHeld, heldAt })
  }

  #own({ topic, partition, offset, high, topicId }: AssignedPosition): AssignedPartition {
    const position = { topic, partition, next: offset, high, topicId }
    const owned = { ...position, isHeld: false, heldAt: -Infinity, isGone: false, isAnew: false }
    this.#owned.set(nameOf(topic, partition), owned)
    return owned
  }

  get owned(): Iterable<AssignedPartition> {
    return this.#owned.values()
  }

  /** Finds a partition of this assignment; also during a revocation, since what was settled may still be committed. */
  find(topic: string, partition: number): AssignedPartition | undefined {
    return this.#owned.get(nameOf(topic, partition))
  }

  /** @returns a function that gives the positions whose partitions are still assigned, and were not lost and assigned again since
   *  now: another member may have read further meanwhile. Nor was their topic created again */
  stillOwned(positions: readonly PartitionPosition[]): () => readonly CommittedPosition[] {
    const owned = positions.map(({ topic, partition }) => this.find(topic, partition))
    return () =>
      positions.flatMap((position, index) => {
        const before = owned[index]
        if (!before || before.isAnew || this.find(position.topic, position.partition) !== before) return []
        return [{ ...position, topicId: before.topicId }]
      })
  }

  /** Finds a partition that is assigned and not being revoked. */
  reading(topic: string, partition: number): AssignedPartition | undefined {
    return this.isAssigned ? this.find(topic, partition) : undefined
  }

  /** The generation ended without warning. A pending revocation is cut short, and not reported again as lost. */
  lost(reason: string): void {
    const wasAssigned = this.isAssigned
    this.#end(reason)
    if (wasAssigned) this.#events.lost(reason)
  }

  /** The connector ended it, so nothing is reported. A pending revocation is cut short. */
  left(): void {
    this.#end('the consumer stops')
  }

  /** Resolves when the revocation is done. @param signal aborts when the group stops waiting */
  async revoke(signal: AbortSignal): Promise<void> {
    if (this.#state === 'assigned') {
      this.#state = 'revoking'
      this.#giveUp = new AbortController()
      this.#revoked = this.#revoke(AbortSignal.any([signal, this.#giveUp.signal]))
    }
    await this.#revoked
  }

  /** Resolves when no revocation is pending. */
  async quiet(): Promise<void> {
    await this.#revoked
  }

  async #revoke(signal: AbortSignal): Promise<void> {
    try {
      await this.#events.revoked(signal)
    } finally {
      this.#state = 'absent'
      this.#end('')
    }
  }

  /** The generation is over. If it is being revoked, that is cut short, and the rest is done then. */
  #end(reason: string): void {
    this.#ticket++
    this.generation = undefined
    if (this.#state === 'revoking') return this.#giveUp.abort(new Error(reason))
    this.#state = 'absent'
    this.#owned.clear()
  }
}

function nameOf(topic: string, partition: number): string {
  return `${partition} ${topic}`
}
