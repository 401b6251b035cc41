// Hands on what was fetched, one partition after another, each without gaps; and decides which partitions are fetched.
//
// Fetches ask `reading` where each partition stands, and bring batches to `fetched`. These wait in a lane per partition, still compressed,
// and are unpacked and handed on a portion at a time, round robin. A partition is not fetched while the connector holds it (`pause`,
// `resume`), its lane or the budget is full, or its position is being found. A lane is open while it reads a large batch in parts.

import type { Consumer } from 'kafkajs'
import type { ConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import type { FetchBudget } from '../log/fetch-budget.ts'
import type { Membership, AssignedPartition } from './membership.ts'
import { PartitionLane, type Portion } from './partition-lane.ts'
import type { MemberEvents, TopicPartition } from '../types.ts'
import { NO_OFFSET, type PackedBatch } from '../log/record-batch.ts'
import { batchError } from '../log/unreadable-batch.ts'

export type FetchControls = Pick<Consumer, 'pause' | 'resume'>

/** A lane is full when this many compressed bytes wait in it. */
const LANE_BYTES = 4 * 1024 * 1024
/** The most open lanes: each holds about 10 MiB that no budget counts. */
const MOST_OPEN = 2
/** How long an open lane may make no progress while another waits to be opened. */
const IDLE_MS = 2000

export interface PartitionReaderOptions {
  readonly controls: FetchControls
  readonly membership: Membership
  readonly events: Pick<MemberEvents, 'batch'>
  readonly clock: Pick<Clock, 'now' | 'wait'>
  /** Counts what was fetched and not handed on; full while that is too much. */
  readonly budget: FetchBudget
  /** Whether fetching has stopped for good. */
  readonly isHalted: () => boolean
  /** Ends fetching at once, but not the membership. Called when a batch cannot be read. */
  readonly fail: (error: ConnectorError) => void
  /** Ends the session. Called with what was thrown while records were handed on. */
  readonly end: (error: unknown) => void
}

export class PartitionReader implements Disposable {
  readonly #options: PartitionReaderOptions
  readonly #budgetWatch: Disposable
  readonly #lanes = new Map<AssignedPartition, PartitionLane>()
  /** Lanes that are not empty, except the one whose turn it is. The first of them that is ready is next. */
  #queue: PartitionLane[] = []
  readonly #life = new AbortController()
  #isClosingIdle = false
  #isHandingOn = false
  /** Whether partitions are fetched: from `start` on, until they are let go. */
  #isStarted = false

  constructor(options: PartitionReaderOptions) {
    this.#options = options
    this.#budgetWatch = options.budget.watch(() => this.updateFetching(options.membership.owned))
  }

  /** The partition, if `fetched` is to be called with what a fetch brings of it, even beyond the room there is. `undefined` when it is not
   *  assigned, is held, its position is being found or not known, or fetching has stopped for good. */
  reading(topic: string, partition: number): AssignedPartition | undefined {
    const { membership, isHalted } = this.#options
    const owned = isHalted() ? undefined : membership.reading(topic, partition)
    return owned?.awaitsPosition === false && !owned.isHeld && hasKnownNext(owned) ? owned : undefined
  }

  /** Takes batches that were fetched from the partition's `next` on. Not to be called for a partition that `reading` does not give, or with
   *  what was fetched from another offset on. @param high the high watermark: one after the partition's last record */
  fetched(owned: AssignedPartition, batches: readonly PackedBatch[], high: bigint): void {
    const newBatches = batches.filter(({ last }) => last >= owned.next)
    const last = newBatches.at(-1)?.last
    if (last === undefined) return
    const lane = this.#lanes.get(owned) ?? new PartitionLane(owned, this.#options.budget, () => this.#mayOpen)
    this.#lanes.set(owned, lane)
    lane.push(newBatches)
    owned.next = last + 1n
    owned.high = high
    this.#queueUp(lane)
  }

  pause({ topic, partition }: TopicPartition): void {
    const owned = this.#options.membership.find(topic, partition)
    if (!owned) return
    owned.isHeld = true
    owned.heldAt = this.#options.clock.now()
    this.updateFetching([owned])
  }

  resume({ topic, partition }: TopicPartition): void {
    const owned = this.#options.membership.find(topic, partition)
    if (!owned) return
    owned.isHeld = false
    this.updateFetching([owned])
    // in a microtask, so that the connector gets no batch before this call returns
    if (!this.#lanes.get(owned)?.isEmpty) queueMicrotask(() => this.#handOn())
  }

  /** Starts fetching what is assigned. */
  start(): void {
    this.#isStarted = true
    this.updateFetching(this.#options.membership.owned)
  }

  /** Tells kafkajs which of the partitions to fetch. To be called whenever something that decides it has changed. */
  updateFetching(partitions: Iterable<AssignedPartition>): void {
    const { membership, controls, isHalted } = this.#options
    // kafkajs throws once it has stopped, which may happen during a revocation
    if (!membership.isAssigned) return
    const mayFetch = this.#isStarted && !isHalted()
    for (const owned of partitions) {
      const isFetched = mayFetch && !owned.isHeld && !owned.awaitsPosition && this.#hasRoom(owned)
      if (isFetched) controls.resume(kafkajsTopics(owned))
      else controls.pause(kafkajsTopics(owned))
    }
  }

  /** Tells the connector that a partition goes on at another offset. To be called once all that was fetched of it before is handed on. */
  move(before: AssignedPartition, { topic, partition, next, high }: AssignedPartition): void {
    this.#lanes.delete(before)
    const { events } = this.#options
    events.batch({ topic, partition, records: [], bytes: 0, next, highWatermark: high, isMove: true })
  }

  /** Resolves when everything fetched of the partition was handed on or dropped. */
  async drained(owned: AssignedPartition): Promise<void> {
    await this.#lanes.get(owned)?.drained()
  }

  /** Stops fetching these partitions, and drops what was not handed on, of all partitions. Each `next` goes back to the offset behind what
   *  was handed on, so that answers on their way, which begin further on, are not taken. */
  letGo(partitions: Iterable<TopicPartition>): void {
    // set first, or the budget, which dropped lanes make room in, would have partitions fetched again
    this.#isStarted = false
    for (const one of partitions) this.#options.controls.pause(kafkajsTopics(one))
    this.#clear()
  }

  [Symbol.dispose](): void {
    this.#life.abort()
    this.#budgetWatch[Symbol.dispose]()
    this.#clear()
  }

  #clear(): void {
    for (const lane of Array.from(this.#lanes.values())) this.#forget(lane)
  }

  /** Whether the lane's partition is still assigned as it was when the lane was made. */
  #isCurrent({ owned }: PartitionLane): boolean {
    return this.#options.membership.reading(owned.topic, owned.partition) === owned
  }

  #queueUp(lane: PartitionLane): void {
    if (!this.#queue.includes(lane)) this.#queue.push(lane)
    this.#handOn()
    if (!this.#hasRoom(lane.owned)) this.updateFetching([lane.owned])
  }

  /** Hands on all that is ready, in the background. Does nothing while that is under way. */
  #handOn(): void {
    this.#handOnInTurn().catch((error: unknown) => this.#options.end(error))
  }

  /** Unpacks one portion at a time, round robin over the partitions. */
  async #handOnInTurn(): Promise<void> {
    if (this.#isHandingOn) return
    this.#isHandingOn = true
    try {
      for (let lane = this.#shiftReady(); lane; lane = this.#shiftReady()) {
        const taken = lane.take()
        const portion = taken instanceof Promise ? await taken : taken
        if (lane.isDisposed || !this.#isCurrent(lane)) continue
        if (lane.owned.isHeld) lane.putBack(portion)
        else this.#handOnOne(lane, portion)
        if (!lane.isEmpty) this.#queue.push(lane)
        this.updateFetching([lane.owned])
        this.#closeIdleIfNeeded()
      }
    } finally {
      this.#isHandingOn = false
    }
    this.#closeIdleIfNeeded()
    this.#makeRoom()
  }

  #shiftReady(): PartitionLane | undefined {
    const mayOpen = this.#mayOpen
    const index = this.#queue.findIndex((lane) => this.#isReady(lane) && (!lane.isToOpen || mayOpen))
    return index === -1 ? undefined : this.#queue.splice(index, 1)[0]
  }

  #isReady(lane: PartitionLane): boolean {
    return !lane.owned.isHeld && this.#isCurrent(lane)
  }

  get #openLanes(): PartitionLane[] {
    return [...this.#lanes.values()].filter(({ isOpen }) => isOpen)
  }

  /** Whether a lane may open its large batch. */
  get #mayOpen(): boolean {
    return this.#openLanes.length < MOST_OPEN
  }

  #closeIdleIfNeeded(): void {
    if (this.#isClosingIdle || !this.#doOpenLanesBlock()) return
    this.#isClosingIdle = true
    this.#closeIdle()
      .finally(() => (this.#isClosingIdle = false))
      .catch((error: unknown) => this.#options.end(error))
  }

  /** Whether a lane could go on if it were opened, but may not, and all open ones are held, maybe for long (until schemas come). */
  #doOpenLanesBlock(): boolean {
    if (this.#life.signal.aborted || !this.#queue.some((lane) => lane.isToOpen && this.#isReady(lane))) return false
    return !this.#mayOpen && !this.#openLanes.some((lane) => this.#isReady(lane))
  }

  /** Closes open lanes that made no progress for a while, one at a time, until others can go on. Each is unpacked again later. */
  async #closeIdle(): Promise<void> {
    while (this.#doOpenLanesBlock()) {
      const nextBefore = new Map(this.#openLanes.map((lane) => [lane, lane.next]))
      await this.#options.clock.wait(IDLE_MS, this.#life.signal)
      if (!this.#doOpenLanesBlock()) continue
      this.#openLanes.find((lane) => lane.next === nextBefore.get(lane))?.close()
      this.#handOn()
    }
  }

  #handOnOne(lane: PartitionLane, portion: Portion): void {
    const { topic, partition, high } = lane.owned
    const { records, bytes, next, unreadable } = portion
    const hasProgress = next !== lane.next
    lane.handedOn(portion)
    if (hasProgress) this.#options.events.batch({ topic, partition, records, bytes, next, highWatermark: high })
    if (!unreadable) return
    this.#forget(lane)
    this.#options.fail(batchError({ topic, partition }, unreadable, next))
  }

  /** Drops the lane; its batches are fetched again, from behind what was handed on. */
  #forget(lane: PartitionLane): void {
    const { owned, next } = lane
    lane[Symbol.dispose]()
    this.#lanes.delete(owned)
    this.#queue = this.#queue.filter((one) => one !== lane)
    owned.next = next
  }

  /** Drops the largest lane, to be fetched again later, if the budget is full and that lane is held: others would get nothing otherwise. */
  #makeRoom(): void {
    const { budget, membership } = this.#options
    // with none that could be fetched then, room is of no use
    if (!budget.isFull || Array.from(membership.owned).every((one) => one.isHeld || one.awaitsPosition)) return
    const largest = this.#queue.toSorted((a, b) => b.bytes - a.bytes)[0]
    if (!largest?.owned.isHeld) return
    const wasOpen = largest.isOpen
    this.#forget(largest)
    if (wasOpen) this.#handOn()
  }

  #hasRoom(owned: AssignedPartition): boolean {
    return !this.#options.budget.isFull && hasKnownNext(owned) && (this.#lanes.get(owned)?.bytes ?? 0) < LANE_BYTES
  }
}

/** Makes the argument of kafkajs's `pause` and `resume`. */
function kafkajsTopics({ topic, partition }: TopicPartition): Parameters<FetchControls['pause']>[0] {
  return [{ topic, partitions: [partition] }]
}

/** Whether it is known where reading goes on. Behind a batch without valid offsets, whose last one is set to NO_OFFSET, it is not. */
function hasKnownNext({ next }: AssignedPartition): boolean {
  return next <= NO_OFFSET
}
