// How long to wait before the same request is sent once more. Pure: chance is a parameter.

const BASE_MS = 200
const CAP_MS = 30_000

/** Full jitter over a step that doubles from 200 ms to 30 s; never before Retry-After is over.
 *  @param tries attempts made
 *  @param random [0, 1) */
export function retryPause(tries: number, afterMs: number | undefined, random: number): number {
  const step = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(tries - 1, 16))
  return Math.max(afterMs ?? 0, step * random)
}

/** From `firstMs` half as long again each time up to `maxMs`, a quarter more or less.
 *  @param polls made so far, from 1
 *  @param random [0, 1) */
export function pollPause(polls: number, firstMs: number, maxMs: number, random: number): number {
  const step = Math.min(maxMs, firstMs * 1.5 ** Math.min(polls - 1, 64))
  return step * (0.75 + random / 2)
}
