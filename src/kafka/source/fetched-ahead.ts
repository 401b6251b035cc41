// Counts what is fetched and not yet taken, in all partitions together, and decides which partitions pause fetching, and why.

import type { FetchBudget } from '../log/fetch-budget.ts'
import type { EnoughReason, OwnedPartition } from './owned-partition.ts'

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

interface Counted {
  readonly bytes: number
  readonly isAwaiting: boolean
}

export class FetchedAhead {
  /** Bytes of partitions that can be taken from, and of those that wait for schemas. */
  #ready = 0
  #awaiting = 0
  #isFull = false
  readonly #budget: FetchBudget | undefined
  readonly #counted = new Map<OwnedPartition, Counted>()

  /** @param budget of the process, where the same bytes are counted too */
  constructor(budget?: FetchBudget) {
    this.#budget = budget
  }

  /** Counts a partition anew. Call it whenever it has other batches, or schemas that it waited for.
   *  @returns whether that changes what `enough` says of other partitions */
  count(partition: OwnedPartition): boolean {
    const { bytes, isAwaiting } = partition
    const [wasFull, wereTooMany] = [this.#isFull, this.#areTooManyAwaiting]
    const before = this.#counted.get(partition)
    this.#add(before, -1)
    if (bytes === 0) this.#counted.delete(partition)
    else this.#counted.set(partition, { bytes, isAwaiting })
    this.#add(this.#counted.get(partition), 1)
    this.#budget?.add(bytes - (before?.bytes ?? 0))
    this.#isFull = this.#ready >= (wasFull ? FEW_BYTES : MOST_BYTES)
    return wasFull !== this.#isFull || wereTooMany !== this.#areTooManyAwaiting
  }

  /** Why a partition is to fetch nothing more for now. `undefined` when it may fetch. */
  enough({ batches, isHeld, isAwaiting, needsSchemas }: OwnedPartition): EnoughReason | undefined {
    if (isAwaiting) return 'schemas'
    if (this.#isFull) return 'budget'
    if (batches.length >= (isHeld ? BATCHES_HELD : BATCHES_AHEAD)) return 'fetched_ahead'
    // its next batch may well need the schemas that others wait for
    return needsSchemas && this.#areTooManyAwaiting ? 'schemas' : undefined
  }

  get #areTooManyAwaiting(): boolean {
    return this.#awaiting >= MOST_AWAITING
  }

  #add(counted: Counted | undefined, times: 1 | -1): void {
    if (counted?.isAwaiting) this.#awaiting += times * counted.bytes
    else this.#ready += times * (counted?.bytes ?? 0)
  }
}
