// How busy the event loop is, and how long it was held up of late, for whoever asks now and then. Knows nothing of who
// holds it up.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../core/types.ts'

/** How often it is looked whether the loop turns: what is shorter is not seen. */
const RESOLUTION_MS = 20
const WINDOW_MS = 30_000

/** Nanoseconds, `RESOLUTION_MS` included. */
type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'max' | 'reset' | 'enable' | 'disable'>

/** Watches from its making on, at next to no cost, until it is disposed. */
export class EventLoopLag implements Disposable {
  readonly #clock: Pick<Clock, 'now'>
  readonly #delays: Delays
  #since: number
  #before = 0

  constructor(clock: Pick<Clock, 'now'>, delays: Delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })) {
    this.#clock = clock
    this.#delays = delays
    this.#since = clock.now()
    delays.enable()
  }

  /** The longest delay since half a minute ago or longer, up to when it was asked before that: whoever asks every half
   *  minute misses none, nor takes it from others who ask. */
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

/** @returns milliseconds since the event loop began, never less than before */
export const busyMs = (): number => performance.eventLoopUtilization().active
