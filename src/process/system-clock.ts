// The machine's time and chance, for everything that takes a Clock.

import { randomInt } from 'node:crypto'
import type { Clock } from '../core/types.ts'

/** What setTimeout can wait at most. */
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

/** 32 bits. */
export const HASH_SEED = randomInt(2 ** 32)
