// Counts how often partitions of a topic stop fetching, by the reason behind it.

import type { HeldReason } from '../../run/run-facts.ts'
import type { OwnedPartition } from './owned-partition.ts'

interface PausesParts {
  /** The service takes nothing. */
  isDown(): boolean
  /** Tells whether as much as may be is held to be sent. */
  isBufferFull(): boolean
  /** Tells whether as much as may be is fetched and not taken, of all partitions together. */
  isBudgetFull(): boolean
}

type PauseCounts = Record<HeldReason, number>

export class Pauses {
  readonly #parts: PausesParts
  readonly #counts = new Map<string, PauseCounts>()

  constructor(parts: PausesParts) {
    this.#parts = parts
  }

  /** Why nothing is fetched of it, or nothing is taken of what was. `undefined` when both are done. */
  reasonOf({ isClosed, paused, isHeld }: OwnedPartition): HeldReason | undefined {
    if (isClosed) return 'rebalance'
    if (paused === 'schemas') return paused
    if (paused === undefined && !isHeld && !this.#parts.isBudgetFull()) return undefined
    // what is behind it: nothing goes on, or no room is left further on
    if (this.#parts.isDown()) return 'outage'
    if (this.#parts.isBufferFull()) return 'buffer'
    return this.#parts.isBudgetFull() ? 'budget' : (paused ?? 'fetched_ahead')
  }

  /** Nothing more of it is fetched from now on. */
  began(partition: OwnedPartition): void {
    const reason = this.reasonOf(partition)
    if (reason !== undefined) this.#of(partition.track.topic)[reason]++
  }

  /** How often partitions of a topic were paused, since the start. */
  of(topic: string): Readonly<PauseCounts> {
    return { ...this.#of(topic) }
  }

  #of(topic: string): PauseCounts {
    let counts = this.#counts.get(topic)
    if (!counts) {
      counts = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }
      this.#counts.set(topic, counts)
    }
    return counts
  }
}
