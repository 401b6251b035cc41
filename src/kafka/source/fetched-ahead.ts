// Decides which partitions fetch nothing more for now, by what is fetched and not yet taken (made into items) in all of them together. Says
// why, and counts for each topic how often a pause began, by its reason. KafkaSource pauses and resumes them.

import type { HeldReason } from '../../run/run-facts.ts'
import type { FetchBudget } from '../log/fetch-budget.ts'
import type { OwnedPartition } from './owned-partition.ts'

/** A partition with so many batches not yet taken fetches no more: usually, and while the engine holds it (wants nothing of it for now). */
const MOST_BATCHES = 16
const MOST_BATCHES_HELD = 2
/** Once MOST_BYTES of all partitions are not yet taken, none fetches any more, until they are fewer than FEW_BYTES. That is well above zero
 *  because a client whose partitions were all paused takes a while to fetch again: there must be something to do meanwhile. */
const MOST_BYTES = 16 * 1024 * 1024
const FEW_BYTES = 12 * 1024 * 1024
/** Once partitions that wait for schemas have so many bytes, none that needs schemas fetches any more. They are not among the bytes above, so
 *  that they hold back no others. */
const MOST_BYTES_AWAITING = 32 * 1024 * 1024

/** The figures that were last counted of a partition. */
interface Counted {
  readonly bytes: number
  readonly isAwaiting: boolean
}

/** The limits of the run around the source. */
interface RunLimits {
  /** The bytes that the process has fetched, to which those counted here are added too. */
  readonly budget: Pick<FetchBudget, 'add' | 'isFull'>
  /** Whether the service takes nothing. */
  isDown(): boolean
  /** Whether the engine holds as many bytes as it may. */
  isBufferFull(): boolean
}

/** No limits, for a reading that sends nothing. */
const UNLIMITED: RunLimits = { budget: { isFull: false, add() {} }, isDown: () => false, isBufferFull: () => false }

type PauseCounts = Record<HeldReason, number>

export class FetchedAhead {
  /** Bytes not yet taken, of partitions that can be taken from and of those that wait for schemas. */
  #readyBytes = 0
  #awaitingBytes = 0
  /** Whether no partition is to fetch: since MOST_BYTES were reached. */
  #isFull = false
  readonly #run: RunLimits
  readonly #lastCounted = new Map<OwnedPartition, Counted>()
  readonly #pauses = new Map<string, PauseCounts>()

  constructor(run = UNLIMITED) {
    this.#run = run
  }

  /** Counts a partition anew. To be called when it has other batches than before, or schemas that it waited for.
   *  @returns whether that changes what `whyEnough` says of other partitions */
  count(partition: OwnedPartition): boolean {
    const { bytes, isAwaiting } = partition
    const [wasFull, wereTooMany] = [this.#isFull, this.#areTooManyAwaiting]
    const before = this.#lastCounted.get(partition)
    this.#add(before, -1)
    if (bytes === 0) this.#lastCounted.delete(partition)
    else this.#lastCounted.set(partition, { bytes, isAwaiting })
    this.#add(this.#lastCounted.get(partition), 1)
    this.#run.budget.add(bytes - (before?.bytes ?? 0))
    this.#isFull = this.#readyBytes >= (wasFull ? FEW_BYTES : MOST_BYTES)
    return wasFull !== this.#isFull || wereTooMany !== this.#areTooManyAwaiting
  }

  /** Why a partition is to fetch nothing more for now. `undefined` when it may fetch. */
  whyEnough({ batches, isHeld, isAwaiting, needsSchemas }: OwnedPartition): HeldReason | undefined {
    if (isAwaiting) return 'schemas'
    if (this.#isFull) return 'budget'
    if (batches.length >= (isHeld ? MOST_BATCHES_HELD : MOST_BATCHES)) return 'fetched_ahead'
    // its next batch may well have to wait for the same schemas
    return needsSchemas && this.#areTooManyAwaiting ? 'schemas' : undefined
  }

  /** Why nothing of a partition is fetched or taken, as the user is told. `undefined` when both go on. */
  reasonOf({ isClosed, pauseReason, isHeld }: OwnedPartition): HeldReason | undefined {
    const { budget } = this.#run
    if (isClosed) return 'rebalance'
    if (pauseReason === 'schemas') return pauseReason
    if (pauseReason === undefined && !isHeld && !budget.isFull) return undefined
    // it is held or has enough fetched: the deeper reason may be an outage, or an engine that is full
    if (this.#run.isDown()) return 'outage'
    if (this.#run.isBufferFull()) return 'buffer'
    return budget.isFull ? 'budget' : (pauseReason ?? 'fetched_ahead')
  }

  /** Counts a pause: nothing more of the partition is fetched from now on. */
  pauseBegan(partition: OwnedPartition): void {
    const reason = this.reasonOf(partition)
    if (reason !== undefined) this.pausesOf(partition.track.topic)[reason]++
  }

  /** How often partitions of a topic were paused since the start. The counts go up in place. */
  pausesOf(topic: string): PauseCounts {
    let counts = this.#pauses.get(topic)
    if (!counts) {
      counts = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }
      this.#pauses.set(topic, counts)
    }
    return counts
  }

  get #areTooManyAwaiting(): boolean {
    return this.#awaitingBytes >= MOST_BYTES_AWAITING
  }

  #add(counted: Counted | undefined, sign: 1 | -1): void {
    if (counted?.isAwaiting) this.#awaitingBytes += sign * counted.bytes
    else this.#readyBytes += sign * (counted?.bytes ?? 0)
  }
}
