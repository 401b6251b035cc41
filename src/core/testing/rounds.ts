// For tests: permits taken and given back a round trip at a time.

import type { AdaptivePermits } from '../concurrency/limit.ts'
import { delivered } from './outcomes.ts'
import type { Outcome } from '../types.ts'

/** Takes all it gets, as first attempts or retries. */
export const takeAll = (permits: AdaptivePermits, now: number, kind: 'first' | 'retry' = 'first'): number => {
  let taken = 0
  while (permits.take(kind, now)) taken++
  return taken
}

/** A round trip of `ms`: all that may start at `now` does and comes back with what `outcome` says of the nth.
 *  @returns the time after it */
export const round = (permits: AdaptivePermits, now: number, ms: number, outcome: (nth: number) => Outcome): number => {
  const taken = takeAll(permits, now, 'retry')
  for (let nth = 0; nth < taken; nth++) permits.give(outcome(nth), ms, now + ms)
  return now + ms
}
export const clean = (): Outcome => delivered
