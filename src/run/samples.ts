// A run over time, as a bounded number of samples (sums over an interval): the longer the run, the longer each. run-recorder.ts fills them.

import type { HeldBy } from '../core/concurrency/limit.ts'
import { emptyTally } from '../core/tally.ts'

/** The reasons why requests wait: those of `HeldBy` · guard: only requests that the late-write guard holds are left · trial: does not occur
 *  any more, but programs that read summaries may look for it. */
export const WAITS = ['pause', 'outage', 'trial', 'rate', 'permits', 'guard'] as const satisfies readonly (
  | HeldBy
  | 'trial'
  | 'guard'
)[]
export type Wait = (typeof WAITS)[number]

/** How a moment was spent, by the first state that applies. outage: a server was away · held: requests waited, or were to be sent again ·
 *  busy: this process computed · idle: nothing was to be sent · free: requests were under way and nothing waited. */
export const STATES = ['outage', 'held', 'busy', 'idle', 'free'] as const
export type SpentState = (typeof STATES)[number]

/** Sums over an interval of the run. Times are milliseconds since the run began. */
export type Sample = ReturnType<typeof emptySample>

/** When so many samples are complete, they are joined in pairs. */
const MOST_SAMPLES = 240
/** A last sample shorter than this is part of the one before: its rates would mean nothing, and dwarf all others. */
const LEAST_MS = 500

export class Samples {
  #completed: Sample[] = []
  /** The sample that new events are added to, by run-recorder.ts. */
  current: Sample
  /** Ticks of the current sample, and how many complete it. */
  #ticks = 0
  #ticksPerSample = 1

  constructor(now: number) {
    this.current = emptySample(now)
  }

  /** The samples, at most `MOST_SAMPLES`, in order, without a gap. */
  get all(): readonly Sample[] {
    const { from, to, attempts } = this.current
    const last = this.#completed.at(-1)
    if (last !== undefined && to - from < LEAST_MS) {
      const copy = extended(emptySample(last.from), last)
      return [...this.#completed.slice(0, -1), extended(copy, this.current)]
    }
    return to > from || attempts > 0 ? [...this.#completed, this.current] : this.#completed
  }

  reach(now: number): void {
    this.current.to = now
  }

  /** Lets the current sample reach up to now, and begins another one when it is complete. */
  tick(now: number): void {
    this.reach(now)
    if (++this.#ticks < this.#ticksPerSample) return
    this.#completed.push(this.current)
    this.current = emptySample(now)
    this.#ticks = 0
    if (this.#completed.length === MOST_SAMPLES) this.#joinPairs()
  }

  #joinPairs(): void {
    this.#completed = this.#completed
      .filter((_, index) => index % 2 === 0)
      .map((first, pair) => extended(first, this.#completed[2 * pair + 1]!))
    this.#ticksPerSample *= 2
  }
}

function emptySample(from: number) {
  return {
    from,
    to: from,
    /** Delivered requests, their points, and bytes of their bodies. */
    requests: 0,
    points: 0,
    bytes: 0,
    /** Retries included. */
    attempts: 0,
    retries: emptyTally().retries,
    /** Attempts in flight and permits, each multiplied by its duration: divided by the interval, their means. */
    inFlightMs: 0,
    permitMs: 0,
    /** How long requests waited, by what for. */
    heldMs: zeros(WAITS),
    /** How long this process was busy. */
    busyMs: 0,
    /** The whole interval, by state. */
    spentMs: zeros(STATES),
    /** Attempts a second that might begin at its end, as learnt (Infinity: any number). `undefined` when the user fixed the permits. */
    rate: undefined as number | undefined,
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}

const SUMS = ['points', 'requests', 'bytes', 'attempts', 'inFlightMs', 'permitMs', 'busyMs'] as const

/** Extends a sample by the one that follows it. @returns the same sample */
function extended(first: Sample, second: Sample): Sample {
  for (const sum of SUMS) first[sum] += second[sum]
  for (const by of ['retries', 'heldMs', 'spentMs'] as const) addTo(first[by], second[by])
  return Object.assign(first, { to: second.to, rate: second.rate })
}

function addTo(sums: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const name in sums) sums[name]! += more[name]!
}
