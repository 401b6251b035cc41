// What the answers of about one round trip say, between two decisions about the permits.

import type { Outcome } from '../types.ts'
import { LATENCY, LIMIT } from './tuning.ts'

/** The meaning of one answer for the load. good: the service works · refused: too much is sent · fault: either it is in trouble or too much
 *  is sent · none: nothing, for it only closed an idle connection, and the batch is sent again at once. */
export type Sign = 'good' | 'refused' | 'fault' | 'none'

export function signOf(outcome: Outcome): Sign {
  if (outcome.status !== 'retry') return 'good'
  if (outcome.stale === true) return 'none'
  const { cause, congestion, afterMs } = outcome
  return cause === 'throttled' || cause === 'timeout' || (congestion && afterMs !== undefined) ? 'refused' : 'fault'
}

/** Counts the answers since it was opened. Its owner counts only those of attempts that began at `since` or later, because earlier ones
 *  say nothing about the last change. Its owner also sets `reached` and `isAlive`. */
export class Window {
  since = -Infinity
  openedAt = -Infinity
  /** Whether all permits were in use. */
  reached = false
  /** Whether any attempt succeeded while it was open, whenever that began. */
  isAlive = false
  isRefused = false
  #answers = 0
  #bad = 0

  /** @param since when an attempt must have begun to be counted; otherwise as before */
  open(now: number, since = this.since): void {
    this.since = since
    this.openedAt = now
    this.reached = false
    this.isAlive = false
    this.isRefused = false
    this.#answers = 0
    this.#bad = 0
  }

  count(sign: Sign): void {
    this.#answers++
    if (sign !== 'good') this.#bad++
    if (sign === 'refused') this.isRefused = true
  }

  /** @param generation how many answers make a window: about as many as there are permits */
  isOver(generation: number, now: number): boolean {
    if (this.#answers === 0 || now - this.openedAt < LIMIT.shortestMs) return false
    return this.#answers >= (this.#bad === this.#answers ? Math.min(generation, LATENCY.samplesLeast) : generation)
  }

  get isClean(): boolean {
    return !this.isRefused && this.#bad < this.#answers
  }

  /** @param isOut whether nothing has succeeded for a while */
  isDead(isOut: boolean): boolean {
    return this.#bad === this.#answers && (isOut || !this.isAlive)
  }
}
