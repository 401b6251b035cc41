// How long request attempts took: in a histogram for /metrics, and as quantiles for the summary of a run. Neither grows with the run.

import { createHistogram } from 'node:perf_hooks'

/** The result of an attempt. refused: also by an answer that stops the run, or as the request is too large · failed: it is sent again. */
export const REQUEST_RESULTS = ['delivered', 'refused', 'failed'] as const
export type RequestResult = (typeof REQUEST_RESULTS)[number]

/** Upper bounds of the histogram's buckets, in milliseconds. Longer attempts have a bucket of their own. */
export const DURATION_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000] as const

/** Durations of attempts with one result, since the start. */
export interface DurationCounts {
  readonly result: RequestResult
  /** One per bound of DURATION_BOUNDS_MS, and one for longer attempts. */
  readonly counts: readonly number[]
  readonly sumMs: number
}

export class RequestDurations {
  readonly #all = REQUEST_RESULTS.map((result) => ({
    result,
    counts: [...DURATION_BOUNDS_MS.map(() => 0), 0],
    sumMs: 0,
  }))

  add(result: RequestResult, ms: number): void {
    const counted = this.#all[REQUEST_RESULTS.indexOf(result)]!
    const bucket = DURATION_BOUNDS_MS.findIndex((bound) => ms <= bound)
    counted.counts[bucket === -1 ? DURATION_BOUNDS_MS.length : bucket]!++
    counted.sumMs += ms
  }

  /** The counts up to now, copied. */
  get all(): readonly DurationCounts[] {
    return this.#all.map(({ result, counts, sumMs }) => ({ result, counts: [...counts], sumMs }))
  }
}

/** Durations of all attempts, as quantiles that are at most 1 % off. */
export class LatencyCounts {
  /** Node's histogram takes no 0, so each duration is recorded as a millisecond more. */
  readonly #histogram = createHistogram({ figures: 2 })
  #longestMs = 0

  /** @param ms at least 0 */
  add(ms: number): void {
    this.#histogram.record(Math.round(ms) + 1)
    if (ms > this.#longestMs) this.#longestMs = ms
  }

  /** Quantiles, and the longest duration (`most`), in milliseconds. `undefined` before anything was added. */
  get figures() {
    if (this.#histogram.count === 0) return undefined
    const most = Math.round(this.#longestMs)
    const quantile = (percent: number): number => Math.min(this.#histogram.percentile(percent) - 1, most)
    return { p50: quantile(50), p95: quantile(95), p99: quantile(99), most }
  }
}
