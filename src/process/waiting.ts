// Waits with a signal or a time limit for promises that have none, and turns whatever was thrown into an Error.

import type { Clock } from '../core/types.ts'

/** Waits for `done`, but not beyond an abort of `signal`. `done` goes on in the background then, so the caller must close what it uses.
 *  @throws what `done` rejects with; the signal's reason as soon as it aborts */
export async function until<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([done, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Resolves when `done` settles, either way, or after `ms`. */
export async function within(done: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const settled = new AbortController()
  const settle = (): void => settled.abort()
  done.then(settle, settle)
  await clock.wait(ms, settled.signal)
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('something unknown was thrown', { cause: thrown })
}
