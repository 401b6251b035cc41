// A run over time, in a bounded number of samples: the longer the run, the longer each sample. Filled by run-recorder.ts.

import type { HeldBy } from '../core/concurrency/limit.ts'
import { emptyTally } from '../core/tally.ts'

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
export type Sample = ReturnType<typeof emptySample>

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

function emptySample(from: number) {
  return {
    from,
    to: from,
    /** Delivered. */
    points: 0,
    requests: 0,
    /** Bytes of the bodies of delivered requests. */
    bytes: 0,
    /** Retries included. */
    attempts: 0,
    retries: emptyTally().retries,
    /** Attempts in flight, permits: each multiplied by its duration. */
    inFlightMs: 0,
    permitMs: 0,
    /** How long requests waited, by what for. */
    heldMs: zeros(WAITS),
    /** How long this process was busy. */
    busyMs: 0,
    /** The whole interval, by state. */
    spentMs: zeros(STATES),
    /** Attempts a second that might begin at its end, as learnt (Infinity: any number). */
    rate: undefined as number | undefined,
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}

/** Adds the second sample to the first. */
function joined(first: Sample, second: Sample): Sample {
  for (const sum of SUMS) first[sum] += second[sum]
  for (const by of ['retries', 'heldMs', 'spentMs'] as const) addTo(first[by], second[by])
  return Object.assign(first, { to: second.to, rate: second.rate })
}

const SUMS = ['points', 'requests', 'bytes', 'attempts', 'inFlightMs', 'permitMs', 'busyMs'] as const

function addTo(sums: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const name in sums) sums[name]! += more[name]!
}
