// Waiting for something of a client that has no signal of its own. Knows no client.

/** @throws the signal's reason as soon as it aborts; `done` goes on then, so what it needs is to be closed */
export async function until<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    // both end with this very call
    return await Promise.race([done, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
