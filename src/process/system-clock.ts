// The machine's time and chance, for everything that takes a Clock, and how busy the event loop is.

import { randomInt, randomUUID } from 'node:crypto'
import { eventLoopUtilization, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../core/types.ts'

/** Most milliseconds that setTimeout can wait. */
const LONGEST_MS = 2 ** 31 - 1

/** Resolves after one turn of the event loop, in which signals and data that have arrived are handled. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export const systemClock: Clock = {
  // whole milliseconds since the process began: small integers cost no allocation, and their sums are exact
  now: () => Math.floor(performance.now()),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      // rounded up: a timer that fires a fraction early would find nothing due
      const timer = setTimeout(end, Math.min(LONGEST_MS, Math.ceil(ms)))
      signal.addEventListener('abort', end, { once: true })
    }),
}

export const newRunId = (): string => randomUUID()

/** A number of 32 bits that differs between processes, so that keys whose hashes collide cannot be chosen. */
export const HASH_SEED = randomInt(2 ** 32)

/** The interval of the timer by which Node measures how long the event loop is held up; shorter delays are not seen. */
const RESOLUTION_MS = 20
const WINDOW_MS = 30_000

/** Node's histogram of delays in nanoseconds, each with the timer's `RESOLUTION_MS` in it. */
type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'max' | 'reset' | 'enable' | 'disable'>

/** How long the event loop was held up of late, measured until this is disposed, at next to no cost. */
export class EventLoopLag implements Disposable {
  readonly #clock: Pick<Clock, 'now'>
  readonly #delays: Delays
  #windowSince: number
  /** The longest delay of the window before the current one, in seconds. */
  #secondsBefore = 0

  constructor(clock: Pick<Clock, 'now'>, delays: Delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })) {
    this.#clock = clock
    this.#delays = delays
    this.#windowSince = clock.now()
    delays.enable()
  }

  /** The longest delay in the current window and the one before, so in the last 30 s at least. A window ends when this is read WINDOW_MS or
   *  more after it began: a reader that comes every 30 s misses no delay, however many others read. */
  get seconds(): number {
    const current = Math.max(0, this.#delays.max / 1e9 - RESOLUTION_MS / 1000)
    const longest = Math.max(current, this.#secondsBefore)
    if (this.#clock.now() - this.#windowSince >= WINDOW_MS) {
      this.#windowSince = this.#clock.now()
      this.#secondsBefore = current
      this.#delays.reset()
    }
    return longest
  }

  [Symbol.dispose](): void {
    this.#delays.disable()
  }
}

/** Milliseconds in which the event loop was busy since it began. */
export const busyMs = (): number => eventLoopUtilization().active
