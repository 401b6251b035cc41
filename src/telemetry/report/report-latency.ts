// How long attempts took, as counts by duration: next to no work an attempt, and the same little memory for any number of
// them.

import type { ReportLatency } from './report-data.ts'

/** Up to here each millisecond has a count of its own. */
const EXACT = 32
/** Beyond, so many counts for each doubling: a quantile is at most 5 % off. */
const STEPS = 8
/** The last one counts everything above nine hours. */
const DOUBLINGS = 20

export class LatencyCounts {
  readonly #counts = new Uint32Array(EXACT + STEPS * DOUBLINGS)
  #total = 0
  #most = 0

  /** @param ms at least 0 */
  add(ms: number): void {
    const index = ms < EXACT ? Math.floor(ms) : EXACT + Math.floor(STEPS * Math.log2(ms / EXACT))
    this.#counts[Math.min(index, this.#counts.length - 1)]!++
    this.#total++
    if (ms > this.#most) this.#most = ms
  }

  addAll(other: LatencyCounts): void {
    for (const [index, count] of other.#counts.entries()) this.#counts[index]! += count
    this.#total += other.#total
    this.#most = Math.max(this.#most, other.#most)
  }

  get total(): number {
    return this.#total
  }

  /** undefined: nothing was added. */
  get figures(): ReportLatency | undefined {
    if (this.#total === 0) return undefined
    return { p50: this.#quantile(0.5), p95: this.#quantile(0.95), p99: this.#quantile(0.99), most: this.#most }
  }

  #quantile(share: number): number {
    const rank = Math.ceil(share * this.#total)
    let below = 0
    const index = this.#counts.findIndex((count) => (below += count) >= rank)
    const middle = index < EXACT ? index : EXACT * 2 ** ((index - EXACT + 0.5) / STEPS)
    return Math.min(Math.round(middle), this.#most)
  }
}
