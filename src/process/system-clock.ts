// The machine's time and chance, for everything that takes a Clock.

import { randomInt, randomUUID } from 'node:crypto'
import { eventLoopUtilization, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../core/types.ts'

/** Most milliseconds that setTimeout can wait. */
const LONGEST_MS = 2 ** 31 - 1

/** Resolves when the event loop has turned: what arrived meanwhile is seen to. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export const systemClock: Clock = {
  // whole milliseconds: small integers cost no allocation, and their sums are exact
  now: () => Math.floor(performance.now()),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve()
        return
      }
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

/** Makes the id of a run. */
export const newRunId = (): string => randomUUID()

/** A number of 32 bits that differs between processes. */
export const HASH_SEED = randomInt(2 ** 32)

/** Time between two looks at whether the event loop turns: what holds it up for less is not seen. */
const RESOLUTION_MS = 20
const WINDOW_MS = 30_000

/** Nanoseconds, `RESOLUTION_MS` included. */
type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'max' | 'reset' | 'enable' | 'disable'>

/** How long the event loop was held up of late, watched from its making until it is disposed, at next to no cost. */
export class EventLoopLag implements Disposable {
  readonly #clock: Pick<Clock, 'now'>
  readonly #delays: Delays
  #since: number
  /** The longest delay of the window before, in seconds. */
  #before = 0

  constructor(clock: Pick<Clock, 'now'>, delays: Delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })) {
    this.#clock = clock
    this.#delays = delays
    this.#since = clock.now()
    delays.enable()
  }

  /** The longest delay in at least the last 30 s. Asked every 30 s it misses none, however many ask. */
  get seconds(): number {
    const current = Math.max(0, this.#delays.max / 1e9 - RESOLUTION_MS / 1000)
    const longest = Math.max(current, this.#before)
    if (this.#clock.now() - this.#since >= WINDOW_MS) {
      this.#since = this.#clock.now()
      this.#before = current
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
