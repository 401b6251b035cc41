// Keeps the partitions that this process has in its group, while kafkajs clients come and go. Ensures the order of events: assigned, then
// revoked or lost, then assigned. A generation (from one rebalance to the next) passes `joined`, `assign`, then `revoke`, `lost` or `left`.

import type { Clock } from '../../core/types.ts'
import type { CommittedPosition, MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'

/** A partition of the current generation. The classes that read it change its fields. If it jumps to another offset, `move` replaces it. */
export interface AssignedPartition extends TopicPartition {
  /** The offset that the next fetch must begin at. */
  next: bigint
  /** The partition's high watermark (one after its last record), from the last fetch or from `EndOffsets`. */
  high: bigint
  /** Whether the connector paused it. */
  isHeld: boolean
  /** When the connector last paused it, by the clock; -Infinity before the first time. */
  heldAt: number
  /** Whether nothing of it is fetched until its position is found or confirmed: its offset is out of range, or its topic may be another. */
  awaitsPosition: boolean
  /** The id of its topic when its position was found. `undefined` when brokers give none. */
  readonly topicId: string | undefined
  /** Whether its topic seems to have been deleted and created again, so that none of its offsets may be committed. */
  isRecreated: boolean
}

/** The position where reading of a partition begins or goes on. */
export interface AssignedPosition extends PartitionPosition {
  readonly high: bigint
  readonly topicId?: string | undefined
}

export interface MembershipTimes {
  /** How long the group keeps a member that sends no heartbeat. */
  readonly sessionTimeoutMs: number
  /** How long a group that rebalances waits for a member to rejoin, even if that sends heartbeats. */
  readonly rebalanceTimeoutMs: number
}

/** The most time that is set aside for the rejoin itself. */
const REJOIN_MARGIN_MS = 2000

/** The state of the assignment; absent when there is no generation, or its positions are not found yet. */
type State = 'absent' | 'assigned' | 'revoking'

export class Membership {
  readonly #events: MemberEvents
  readonly #clock: Clock
  readonly #times: MembershipTimes
  readonly #owned = new Map<string, AssignedPartition>()
  #state: State = 'absent'
  /** The number of the current generation in this process, by which `isCurrent` tells whether that is over. Grows as one begins or ends. */
  #ticket = 0
  /** When the last heartbeat was sent that succeeded, and the last one whose answer knew of no rebalance. */
  #heardAt = -Infinity
  #steadyAt = -Infinity
  /** The latest revocation, and what cuts it short. */
  #revocation: Promise<void> = Promise.resolve()
  #cutShort = new AbortController()
  /** The group's id of the current generation. `undefined` when there is none. */
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

  /** To be called when a heartbeat succeeded. @param at when it was sent, which counts because the process may have slept before it read
   *  the answer @param isSteady whether the answer said that no rebalance had begun */
  heard(at: number, isSteady = true): void {
    if (at > this.#heardAt) this.#heardAt = at
    if (isSteady && at > this.#steadyAt) this.#steadyAt = at
  }

  /** Whether no other member can have been given the partitions.
   *  @param forMs the time for which this has to stay true even if no further heartbeat is answered and a rebalance has begun */
  isMember(forMs = 0): boolean {
    const isHeard = this.#clock.now() - this.#heardAt < this.#times.sessionTimeoutMs - forMs
    const leftMs = this.#state === 'revoking' ? this.rejoinMs : this.#evictionMs
    return this.hasAssignment && isHeard && forMs < leftMs
  }

  /** The time left in which this member can still rejoin before the group may go on without it. */
  get rejoinMs(): number {
    return this.#evictionMs - Math.min(REJOIN_MARGIN_MS, this.#times.rebalanceTimeoutMs / 4)
  }

  /** The time left until the group may go on without this member, if a rebalance began right behind the last steady heartbeat. */
  get #evictionMs(): number {
    return this.#steadyAt + this.#times.rebalanceTimeoutMs - this.#clock.now()
  }

  /** Begins a generation, whose positions are not found yet. @returns its ticket for `isCurrent`, valid until the generation ends */
  joined(generation: string): number {
    this.lost('the group began another generation')
    this.generation = generation
    return this.#ticket
  }

  isCurrent(ticket: number): boolean {
    return ticket === this.#ticket
  }

  /** Assigns the partitions of the generation at the positions that were found. */
  assign(positions: readonly AssignedPosition[]): void {
    this.#state = 'assigned'
    for (const position of positions) this.#own(position)
    this.#events.assigned(positions.map(({ topic, partition, offset }) => ({ topic, partition, offset })))
  }

  /** Replaces an assigned partition by one at another offset. Commits of the old one that are still waiting leave it out (`stillOwned`). */
  move({ isHeld, heldAt }: AssignedPartition, position: AssignedPosition): AssignedPartition {
    return Object.assign(this.#own(position), { isHeld, heldAt })
  }

  #own({ topic, partition, offset, high, topicId }: AssignedPosition): AssignedPartition {
    const position = { topic, partition, next: offset, high, topicId }
    const owned = { ...position, isHeld: false, heldAt: -Infinity, awaitsPosition: false, isRecreated: false }
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

  /** Makes a function that, called later, gives those of the positions whose partition was neither lost (even if it is assigned again, for
   *  another member may have read further) nor moved meanwhile, and whose topic was not created again. */
  stillOwned(positions: readonly PartitionPosition[]): () => readonly CommittedPosition[] {
    const ownedNow = positions.map(({ topic, partition }) => this.find(topic, partition))
    return () =>
      positions.flatMap((position, index) => {
        const owned = ownedNow[index]
        if (!owned || owned.isRecreated || this.find(position.topic, position.partition) !== owned) return []
        return [{ ...position, topicId: owned.topicId }]
      })
  }

  /** Finds a partition that is assigned and not being revoked. */
  reading(topic: string, partition: number): AssignedPartition | undefined {
    return this.isAssigned ? this.find(topic, partition) : undefined
  }

  /** Ends a generation that is over without warning. A pending revocation is cut short, and not reported again as lost. */
  lost(reason: string): void {
    const wasAssigned = this.isAssigned
    this.#end(reason)
    if (wasAssigned) this.#events.lost(reason)
  }

  /** Ends the generation because the connector stops, so nothing is reported. A pending revocation is cut short. */
  left(): void {
    this.#end('the consumer stops')
  }

  /** Revokes the partitions, if that is not under way. Resolves when it is done. @param signal aborts when the group stops waiting */
  async revoke(signal: AbortSignal): Promise<void> {
    if (this.#state === 'assigned') {
      this.#state = 'revoking'
      this.#cutShort = new AbortController()
      this.#revocation = this.#revoke(AbortSignal.any([signal, this.#cutShort.signal]))
    }
    await this.#revocation
  }

  /** Resolves when no revocation is pending. */
  async quiet(): Promise<void> {
    await this.#revocation
  }

  async #revoke(signal: AbortSignal): Promise<void> {
    try {
      await this.#events.revoked(signal)
    } finally {
      // first, or `#end` would only cut the revocation short
      this.#state = 'absent'
      this.#end('the revocation is done')
    }
  }

  /** Ends the generation. If it is being revoked, that is cut short; `#revoke` then forgets the partitions. */
  #end(reason: string): void {
    this.#ticket++
    this.generation = undefined
    if (this.#state === 'revoking') return this.#cutShort.abort(new Error(reason))
    this.#state = 'absent'
    this.#owned.clear()
  }
}

function nameOf(topic: string, partition: number): string {
  return `${partition} ${topic}`
}
