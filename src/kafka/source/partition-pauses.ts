// Says why a partition fetches nothing, and counts for each topic how often that began, by its reason.

import type { HeldReason } from '../../run/run-facts.ts'
import type { OwnedPartition } from './owned-partition.ts'

interface PausesParts {
  /** Whether the service takes nothing. */
  isDown(): boolean
  /** Whether the engine holds as many bytes as it may. */
  isBufferFull(): boolean
  /** Whether the process holds as many fetched bytes as it may (`FetchBudget.isFull`). */
  isBudgetFull(): boolean
}

type PauseCounts = Record<HeldReason, number>

export class Pauses {
  readonly #parts: PausesParts
  readonly #counts = new Map<string, PauseCounts>()

  constructor(parts: PausesParts) {
    this.#parts = parts
  }

  /** Why nothing of a partition is fetched, or nothing of it is taken. `undefined` when both go on. */
  reasonOf({ isClosed, paused, isHeld }: OwnedPartition): HeldReason | undefined {
    if (isClosed) return 'rebalance'
    if (paused === 'schemas') return paused
    if (paused === undefined && !isHeld && !this.#parts.isBudgetFull()) return undefined
    // it is held, or has enough: an outage, or a lack of room further on, is why
    if (this.#parts.isDown()) return 'outage'
    if (this.#parts.isBufferFull()) return 'buffer'
    return this.#parts.isBudgetFull() ? 'budget' : (paused ?? 'fetched_ahead')
  }

  /** Counts a pause: nothing more of the partition is fetched from now on. */
  began(partition: OwnedPartition): void {
    const reason = this.reasonOf(partition)
    if (reason !== undefined) this.#countsOf(partition.track.topic)[reason]++
  }

  /** How often partitions of a topic were paused since the start: a copy. */
  of(topic: string): Readonly<PauseCounts> {
    return { ...this.#countsOf(topic) }
  }

  #countsOf(topic: string): PauseCounts {
    let counts = this.#counts.get(topic)
    if (!counts) {
      counts = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }
      this.#counts.set(topic, counts)
    }
    return counts
  }
}
