// Counts what is fetched and not yet taken, in all partitions together, and decides which partitions pause fetching, and why.

import type { FetchBudget } from '../log/fetch-budget.ts'
import type { EnoughReason, OwnedPartition } from './owned-partition.ts'

/** Batches of one partition that are fetched and not yet taken, before it fetches no more. */
const BATCHES_AHEAD = 16
/** The limit of a partition that the engine has paused. */
const BATCHES_HELD = 2
/** Bytes of all together, before none fetches any more, and below which they do again. A client whose partitions are all paused
 *  notices a little late that they are not: there must be something to do meanwhile. */
const MOST_BYTES = 16 * 1024 * 1024
const FEW_BYTES = 12 * 1024 * 1024
/** Most bytes of partitions that wait for schemas, which hold back no others up to this. */
const MOST_AWAITING = 32 * 1024 * 1024

interface Counted {
  readonly bytes: number
  readonly isAwaiting: boolean
}

export class FetchedAhead {
  /** Bytes held of partitions that can be taken from, and of those that wait for schemas. */
  #ready = 0
  #awaiting = 0
  #isFull = false
  readonly #budget: FetchBudget | undefined
  readonly #counted = new Map<OwnedPartition, Counted>()

  /** @param budget of the process: they are counted there too */
  constructor(budget?: FetchBudget) {
    this.#budget = budget
  }

  /** Counts a partition anew. Call it whenever its batches are others, or have their schemas.
   *  @returns whether others than this one may have to stop fetching for it, or may go on */
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

  /** Why it is to fetch nothing more for now. `undefined` when it may. */
  enough({ batches, isHeld, isAwaiting, needsSchemas }: OwnedPartition): EnoughReason | undefined {
    if (isAwaiting) return 'schemas'
    if (this.#isFull) return 'budget'
    if (batches.length >= (isHeld ? BATCHES_HELD : BATCHES_AHEAD)) return 'fetched_ahead'
    // what it would bring may well need the same ones
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
