// Counts what is fetched and not yet taken, in all partitions together, and decides which partitions pause fetching. It says why, and
// counts for each topic how often a pause began, by its reason.

import type { HeldReason } from '../../run/run-facts.ts'
import type { FetchBudget } from '../log/fetch-budget.ts'
import type { OwnedPartition } from './owned-partition.ts'

/** Batches of one partition that are fetched and not yet taken, before it fetches no more. */
const BATCHES_AHEAD = 16
/** The same for a partition of which the engine wants nothing more for now (`hold`). */
const BATCHES_HELD = 2
/** From MOST_BYTES of all partitions on, none fetches any more, until they are fewer than FEW_BYTES. FEW_BYTES is well above zero because a
 *  client whose partitions were all paused takes a while to fetch again: there must be something to do meanwhile. */
const MOST_BYTES = 16 * 1024 * 1024
const FEW_BYTES = 12 * 1024 * 1024
/** Bytes of partitions that wait for schemas count apart, so that they hold back no others. From here on no partition that needs schemas
 *  fetches any more. */
const MOST_AWAITING = 32 * 1024 * 1024

/** What was counted of a partition last. */
interface Counted {
  readonly bytes: number
  readonly isAwaiting: boolean
}

interface Surroundings {
  /** Counts the same bytes, among others of the process. */
  readonly budget: Pick<FetchBudget, 'add' | 'isFull'>
  /** Whether the service takes nothing. */
  isDown(): boolean
  /** Whether the engine holds as many bytes as it may. */
  isBufferFull(): boolean
}

/** Surroundings without any bound, as those of a reading that sends nothing. */
const ROOM: Surroundings = { budget: { isFull: false, add() {} }, isDown: () => false, isBufferFull: () => false }

type PauseCounts = Record<HeldReason, number>

export class FetchedAhead {
  /** Bytes of partitions that can be taken from, and of those that wait for schemas. */
  #ready = 0
  #awaiting = 0
  #isFull = false
  readonly #around: Surroundings
  readonly #lastCounted = new Map<OwnedPartition, Counted>()
  readonly #pauses = new Map<string, PauseCounts>()

  constructor(around = ROOM) {
    this.#around = around
  }

  /** Counts a partition anew. Call it whenever it has other batches, or schemas that it waited for.
   *  @returns whether that changes what `whyEnough` says of other partitions */
  count(partition: OwnedPartition): boolean {
    const { bytes, isAwaiting } = partition
    const [wasFull, wereTooMany] = [this.#isFull, this.#areTooManyAwaiting]
    const before = this.#lastCounted.get(partition)
    this.#add(before, -1)
    if (bytes === 0) this.#lastCounted.delete(partition)
    else this.#lastCounted.set(partition, { bytes, isAwaiting })
    this.#add(this.#lastCounted.get(partition), 1)
    this.#around.budget.add(bytes - (before?.bytes ?? 0))
    this.#isFull = this.#ready >= (wasFull ? FEW_BYTES : MOST_BYTES)
    return wasFull !== this.#isFull || wereTooMany !== this.#areTooManyAwaiting
  }

  /** Why a partition is to fetch nothing more for now. `undefined` when it may fetch. */
  whyEnough({ batches, isHeld, isAwaiting, needsSchemas }: OwnedPartition): HeldReason | undefined {
    if (isAwaiting) return 'schemas'
    if (this.#isFull) return 'budget'
    if (batches.length >= (isHeld ? BATCHES_HELD : BATCHES_AHEAD)) return 'fetched_ahead'
    // its next batch may well need the schemas that others wait for
    return needsSchemas && this.#areTooManyAwaiting ? 'schemas' : undefined
  }

  /** Why nothing of a partition is fetched, or nothing of it is taken. `undefined` when both go on. */
  reasonOf({ isClosed, pauseReason, isHeld }: OwnedPartition): HeldReason | undefined {
    const { budget } = this.#around
    if (isClosed) return 'rebalance'
    if (pauseReason === 'schemas') return pauseReason
    if (pauseReason === undefined && !isHeld && !budget.isFull) return undefined
    // it is held, or has enough: an outage, or a lack of room further on, is why
    if (this.#around.isDown()) return 'outage'
    if (this.#around.isBufferFull()) return 'buffer'
    return budget.isFull ? 'budget' : (pauseReason ?? 'fetched_ahead')
  }

  /** Counts a pause: nothing more of the partition is fetched from now on. */
  pauseBegan(partition: OwnedPartition): void {
    const reason = this.reasonOf(partition)
    if (reason !== undefined) this.pausesOf(partition.track.topic)[reason]++
  }

  /** How often partitions of a topic were paused since the start. It goes on counting. */
  pausesOf(topic: string): PauseCounts {
    let counts = this.#pauses.get(topic)
    if (!counts) {
      counts = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }
      this.#pauses.set(topic, counts)
    }
    return counts
  }

  get #areTooManyAwaiting(): boolean {
    return this.#awaiting >= MOST_AWAITING
  }

  #add(counted: Counted | undefined, times: 1 | -1): void {
    if (counted?.isAwaiting) this.#awaiting += times * counted.bytes
    else this.#ready += times * (counted?.bytes ?? 0)
  }
}
