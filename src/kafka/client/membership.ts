// What the source knows of its place in the group, and the order of events: assigned, then revoked or lost, then assigned. It
// survives each client.

import type { Clock } from '../../core/types.ts'
import type { MemberEvents, PartitionPosition, TopicPartition } from '../types.ts'

/** A partition of the current generation. */
export interface AssignedPartition extends TopicPartition {
  /** Offset that the next fetch must begin at. */
  next: bigint
  /** The partition's end, as last seen: by a fetch, or by who asks for it. */
  high: bigint
  /** The connector wants nothing of it for now. */
  isHeld: boolean
  /** Its offset is out of range; what to do is being found out. */
  isGone: boolean
}

/** absent: no generation, or one whose positions are still being decided. */
type State = 'absent' | 'assigned' | 'revoking'

export class Membership {
  readonly #events: MemberEvents
  readonly #clock: Clock
  readonly #sessionTimeoutMs: number
  readonly #owned = new Map<string, AssignedPartition>()
  #state: State = 'absent'
  #ticket = 0
  #heardAt = -Infinity
  #giveUp = new AbortController()
  #revoked: Promise<void> = Promise.resolve()
  generation: string | undefined

  constructor(events: MemberEvents, clock: Clock, sessionTimeoutMs: number) {
    this.#events = events
    this.#clock = clock
    this.#sessionTimeoutMs = sessionTimeoutMs
  }

  get isAssigned(): boolean {
    return this.#state === 'assigned'
  }

  /** Partitions were assigned that are neither let go nor lost yet. */
  get hasAssignment(): boolean {
    return this.#state !== 'absent'
  }

  /** @param at when the heartbeat left that the group answered well: a process may sleep before it reads the answer */
  heard(at: number): void {
    if (at > this.#heardAt) this.#heardAt = at
  }

  /** @param forMs whether it surely is one for this time, even if no heartbeat is answered any more */
  isMember(forMs = 0): boolean {
    return this.hasAssignment && this.#clock.now() - this.#heardAt < this.#sessionTimeoutMs - forMs
  }

  /** A generation began; its positions are still to be decided.
   *  @returns its ticket, void as soon as the next generation, or none, takes its place */
  joined(generation: string): number {
    this.lost('the group began another generation')
    this.generation = generation
    return this.#ticket
  }

  isCurrent(ticket: number): boolean {
    return ticket === this.#ticket && this.generation !== undefined
  }

  assign(positions: readonly (PartitionPosition & { readonly high: bigint })[]): void {
    this.#state = 'assigned'
    for (const { topic, partition, offset, high } of positions)
      this.#owned.set(nameOf(topic, partition), { topic, partition, next: offset, high, isHeld: false, isGone: false })
    this.#events.assigned(positions.map(({ topic, partition, offset }) => ({ topic, partition, offset })))
  }

  get owned(): Iterable<AssignedPartition> {
    return this.#owned.values()
  }

  /** Also while it is being let go: what was settled may still be committed. */
  find(topic: string, partition: number): AssignedPartition | undefined {
    return this.#owned.get(nameOf(topic, partition))
  }

  /** Those of the positions whose partitions are still the same assignment as now, whenever that is asked: one that was lost
   *  and assigned again begins where the group is by then, and that may be further. */
  stillOwned(positions: readonly PartitionPosition[]): () => readonly PartitionPosition[] {
    const owned = positions.map(({ topic, partition }) => this.find(topic, partition))
    return () =>
      positions.filter(({ topic, partition }, index) => {
        const before = owned[index]
        return before !== undefined && this.find(topic, partition) === before
      })
  }

  /** Whether records of it are handed on, or it is found out where they go on. */
  isReading({ topic, partition }: TopicPartition): boolean {
    return this.isAssigned && this.find(topic, partition) !== undefined
  }

  /** Over without warning. Cuts a revocation short instead of reporting a second end. */
  lost(reason: string): void {
    this.#ticket++
    this.generation = undefined
    if (this.#state === 'revoking') this.#giveUp.abort(new Error(reason))
    if (this.#state !== 'assigned') return
    this.#forget()
    this.#events.lost(reason)
  }

  /** Over because the connector wanted it: nothing is reported. Cuts a revocation short. */
  left(): void {
    this.#ticket++
    this.generation = undefined
    if (this.#state === 'revoking') this.#giveUp.abort(new Error('the consumer stops'))
    else this.#forget()
  }

  /** Resolves when everything is let go. @param signal aborts when the group will wait no longer */
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
      this.#ticket++
      this.generation = undefined
      this.#forget()
    }
  }

  #forget(): void {
    this.#state = 'absent'
    this.#owned.clear()
  }
}

function nameOf(topic: string, partition: number): string {
  return `${partition} ${topic}`
}
