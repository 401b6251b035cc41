// What happened when, in a bounded number of samples: the longer a run goes on, the longer each of them is. Knows nothing of
// what is counted where.

import type { RetryCause } from '../../core/types.ts'
import { LatencyCounts } from './report-latency.ts'

/** Times are the caller's milliseconds. */
export interface Sample {
  readonly from: number
  to: number
  points: number
  requests: number
  bytes: number
  attempts: number
  readonly retries: Record<RetryCause, number>
  readonly latency: LatencyCounts
  /** Attempts in flight, permits: each multiplied by how long it was so. */
  inFlightMs: number
  permitMs: number
  pausedMs: number
}

/** At least this divided by two are kept of a run that had so many ticks. */
const MOST = 600

export class Samples {
  #done: Sample[] = []
  #current: Sample
  /** Ticks of the current one, and of each one that is done. */
  #ticks = 0
  #ticksEach = 1

  constructor(now: number) {
    this.#current = emptySample(now)
  }

  /** What happens now is added here. */
  get current(): Sample {
    return this.#current
  }

  /** At most `MOST`, in order, without a gap. */
  get all(): readonly Sample[] {
    const { from, to, attempts } = this.#current
    return to > from || attempts > 0 ? [...this.#done, this.#current] : this.#done
  }

  /** The current one reaches up to now. */
  reach(now: number): void {
    this.#current.to = now
  }

  /** As `reach`; a new one may begin. */
  tick(now: number): void {
    this.reach(now)
    if (++this.#ticks < this.#ticksEach) return
    this.#done.push(this.#current)
    this.#current = emptySample(now)
    this.#ticks = 0
    if (this.#done.length === MOST) this.#halve()
  }

  #halve(): void {
    this.#done = this.#done
      .filter((_, index) => index % 2 === 0)
      .map((first, half) => joined(first, this.#done[2 * half + 1]!))
    this.#ticksEach *= 2
  }
}

function emptySample(now: number): Sample {
  return {
    from: now,
    to: now,
    points: 0,
    requests: 0,
    bytes: 0,
    attempts: 0,
    retries: { throttled: 0, server: 0, network: 0, timeout: 0 },
    latency: new LatencyCounts(),
    inFlightMs: 0,
    permitMs: 0,
    pausedMs: 0,
  }
}

/** @param first becomes both */
function joined(first: Sample, second: Sample): Sample {
  first.to = second.to
  first.points += second.points
  first.requests += second.requests
  first.bytes += second.bytes
  first.attempts += second.attempts
  for (const cause of Object.keys(first.retries) as RetryCause[]) first.retries[cause] += second.retries[cause]
  first.latency.addAll(second.latency)
  first.inFlightMs += second.inFlightMs
  first.permitMs += second.permitMs
  first.pausedMs += second.pausedMs
  return first
}
