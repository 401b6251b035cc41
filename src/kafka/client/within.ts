// Waiting with a bound, and nothing left waiting behind it.

import type { Clock } from '../../core/types.ts'

/** Resolves when `done` settles, either way, or after `ms`. */
export async function within(done: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const settled = new AbortController()
  const settle = (): void => settled.abort()
  done.then(settle, settle)
  await clock.wait(ms, settled.signal)
}
