// A run over time, in a bounded number of samples: the longer the run, the longer each sample. Filled by run-recorder.ts.

import type { HeldBy } from '../core/concurrency/limit.ts'
import type { RetryCause } from '../core/types.ts'

/** The reasons why requests wait. trial: none does any more, but readers of summaries may look for it; guard: the late-write guard,
 *  when everything else was sent. */
export const WAITS = ['pause', 'outage', 'trial', 'rate', 'permits', 'guard'] as const satisfies readonly (
  | HeldBy
  | 'trial'
  | 'guard'
)[]
export type Wait = (typeof WAITS)[number]

/** How a moment was spent, the first that is so: a server was away; requests waited, or were to be sent again; this process computed;
 *  nothing was to be sent; requests were under way and nothing waited. */
export const STATES = ['outage', 'held', 'busy', 'idle', 'free'] as const
export type SpentState = (typeof STATES)[number]

/** Sums over an interval of the run. Times are the caller's milliseconds. */
export interface Sample {
  readonly from: number
  to: number
  /** Delivered. */
  points: number
  requests: number
  /** Bytes of the bodies of delivered requests. */
  bytes: number
  /** Retries included. */
  attempts: number
  readonly retries: Record<RetryCause, number>
  /** Attempts in flight, permits: each multiplied by its duration. */
  inFlightMs: number
  permitMs: number
  /** How long requests waited, by what for. */
  readonly heldMs: Record<Wait, number>
  /** How long this process was busy. */
  busyMs: number
  /** The whole interval, by state. */
  readonly spentMs: Record<SpentState, number>
  /** Attempts a second that might begin at its end, as learnt (Infinity: any number). */
  rate?: number | undefined
}

/** A longer run has at least half as many. */
const MOST = 240
/** The rates of a shorter interval would be meaningless, and dwarf all others. */
const LEAST_MS = 500

export class Samples {
  #done: Sample[] = []
  /** The sample that new events are added to. */
  current: Sample
  /** Ticks of the current sample, and of each completed one. */
  #ticks = 0
  #ticksEach = 1

  constructor(now: number) {
    this.current = emptySample(now)
  }

  /** The samples, at most `MOST`, in order, without a gap. One shorter than LEAST_MS is part of the one before. */
  get all(): readonly Sample[] {
    const { from, to, attempts } = this.current
    const last = this.#done.at(-1)
    if (last !== undefined && to - from < LEAST_MS)
      return [...this.#done.slice(0, -1), joined(joined(emptySample(last.from), last), this.current)]
    return to > from || attempts > 0 ? [...this.#done, this.current] : this.#done
  }

  /** Lets the current sample reach up to now. */
  reach(now: number): void {
    this.current.to = now
  }

  /** Lets the current sample reach up to now, and may begin a new one. */
  tick(now: number): void {
    this.reach(now)
    if (++this.#ticks < this.#ticksEach) return
    this.#done.push(this.current)
    this.current = emptySample(now)
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
    inFlightMs: 0,
    permitMs: 0,
    heldMs: { pause: 0, outage: 0, trial: 0, rate: 0, permits: 0, guard: 0 },
    busyMs: 0,
    spentMs: { outage: 0, held: 0, busy: 0, idle: 0, free: 0 },
  }
}

const SUMS = ['points', 'requests', 'bytes', 'attempts', 'inFlightMs', 'permitMs', 'busyMs'] as const

/** Adds the second sample to the first. */
function joined(first: Sample, second: Sample): Sample {
  first.to = second.to
  first.rate = second.rate
  for (const sum of SUMS) first[sum] += second[sum]
  for (const cause of Object.keys(first.retries) as RetryCause[]) first.retries[cause] += second.retries[cause]
  for (const wait of WAITS) first.heldMs[wait] += second.heldMs[wait]
  for (const state of STATES) first.spentMs[state] += second.spentMs[state]
  return first
}
