// How long the attempts of a run took, as quantiles of all of them. Filled by run-recorder.ts, in memory that does not grow.

import { createHistogram } from 'node:perf_hooks'

/** Quantiles, and the longest of all. Milliseconds. */
export interface LatencyFigures {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly most: number
}

export class LatencyCounts {
  /** Milliseconds and one more, as it takes no 0. A quantile is at most 1 % off. */
  readonly #counts = createHistogram({ figures: 2 })
  #most = 0

  /** @param ms at least 0 */
  add(ms: number): void {
    this.#counts.record(Math.round(ms) + 1)
    if (ms > this.#most) this.#most = ms
  }

  /** `undefined` before anything was added. */
  get figures(): LatencyFigures | undefined {
    if (this.#counts.count === 0) return undefined
    const most = Math.round(this.#most)
    const quantile = (percent: number): number => Math.min(this.#counts.percentile(percent) - 1, most)
    return { p50: quantile(50), p95: quantile(95), p99: quantile(99), most }
  }
}
