// Repeats a request to a schema registry until it answers. A registry that is down, overloaded or out of reach is waited for without limit.

import { backoffMs, REGISTRY } from '../core/backoff.ts'
import { statusCause, type NetworkCause, type OutageEvents } from '../core/network.ts'
import type { Clock } from '../core/types.ts'
import { meaningOf } from '../service/statuses.ts'

const LONGEST_RETRY_AFTER_MS = 60_000

export interface RetryingClientOptions {
  readonly ask: AskRegistry
  /** For messages: where the registry is, without user and password. */
  readonly address: string
  readonly clock: Clock
  /** Told of each attempt, to notice an outage: that it began, and how it ended (`ended` when that says nothing about the registry). */
  readonly outage?: OutageEvents | undefined
}

/** A client of one registry, for any number of requests at once. */
export class RetryingClient {
  readonly #options: RetryingClientOptions
  /** Why requests wait, for each request that does (an object of its own). */
  readonly #waiting = new Map<object, string>()
  /** The time before which no attempt is made, because an answer named it (Retry-After), and what that answer was. */
  #pausedUntil = -Infinity
  #pausedBecause = ''

  constructor(options: RetryingClientOptions) {
    this.#options = options
  }

  /** Why requests wait, for messages. `undefined` when none does. */
  get waitsBecause(): string | undefined {
    return this.#waiting.values().next().value
  }

  /** Makes attempts until an answer comes that another attempt would not change.
   *  @returns an answer with any status but 408, 429 and 5xx; 501 is one too
   *  @throws signal.reason when it aborts; what the `ask` of the options throws */
  async ask(path: string, signal: AbortSignal): Promise<RegistryResponse> {
    const request = {} // its key in #waiting
    try {
      for (let tries = 1; ; tries++) {
        await this.#pause(request, signal)
        const result = await this.#attempt(path, signal)
        const reason = retryReason(result)
        if (reason === undefined) return result as RegistryResponse
        this.#noteWait(request, reason)
        this.#honour(result, reason)
        await this.#wait(backoffMs(REGISTRY, tries, this.#options.clock.random()), signal)
      }
    } finally {
      this.#waiting.delete(request)
    }
  }

  /** Waits until the time that Retry-After named is over; another request may move it meanwhile. */
  async #pause(request: object, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    for (let ms = this.#pausedUntil - clock.now(); ms > 0; ms = this.#pausedUntil - clock.now()) {
      this.#noteWait(request, this.#pausedBecause)
      await this.#wait(ms, signal)
    }
    signal.throwIfAborted()
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.wait(ms, signal)
    signal.throwIfAborted()
  }

  /** Pauses all requests for as long as Retry-After says. */
  #honour(result: RegistryResult, reason: string): void {
    if ('failed' in result || result.retryAfterMs === undefined) return
    this.#pausedUntil = this.#options.clock.now() + Math.min(LONGEST_RETRY_AFTER_MS, result.retryAfterMs)
    this.#pausedBecause = reason
  }

  #noteWait(request: object, reason: string): void {
    this.#waiting.set(request, `the schema registry ${this.#options.address} cannot be asked: ${reason}`)
  }

  async #attempt(path: string, signal: AbortSignal): Promise<RegistryResult> {
    const { ask, outage } = this.#options
    outage?.began()
    try {
      const result = await ask(path, signal)
      signal.throwIfAborted()
      if (outage) reportTo(outage, result)
      return result
    } catch (error) {
      outage?.ended()
      throw error
    }
  }
}

function reportTo(outage: OutageEvents, result: RegistryResult): void {
  const reason = retryReason(result)
  if (reason === undefined) outage.answered()
  else if ('failed' in result) outage.failed(result.why ?? { words: reason }, result.remedy)
  else if (result.status === 429) outage.throttled()
  else outage.failed(statusCause(result.status))
}

/** Why the request should be repeated, for messages. `undefined` when it should not. */
function retryReason(result: RegistryResult): string | undefined {
  if ('failed' in result) return result.failed
  const { status } = result
  return meaningOf(status, 'registry') === 'retry' ? `it answered ${status}` : undefined
}

/** Makes one attempt. When `signal` aborts, it resolves too, and the result has no meaning. Redirects are not followed.
 *  @param path below the registry's address, with its query
 *  @throws ConnectorError when no attempt can ever succeed: a certificate that is not trusted */
export type AskRegistry = (path: string, signal: AbortSignal) => Promise<RegistryResult>

/** An answer, or why no whole answer came. `failed`: what was found, in words without a full stop; `why`: the same in the standard words
 *  (core/network.ts); `remedy`: what to do if it persists, a sentence. */
export type RegistryResult =
  | RegistryResponse
  | { readonly failed: string; readonly remedy?: string; readonly why?: NetworkCause }

export interface RegistryResponse {
  readonly status: number
  /** The body's text. `undefined` when it is no UTF-8. */
  readonly body: string | undefined
  /** Whether `body` is only the beginning of a longer one. */
  readonly isCut: boolean
  /** The registry's own error message, on one line, without secrets; '' when it has none. */
  readonly words: string
  /** Milliseconds from now that Retry-After names. `undefined` when there is none that can be used. */
  readonly retryAfterMs: number | undefined
  /** The origin that a redirect leads to, without secrets. `undefined` when the answer names none. */
  readonly leadsTo: string | undefined
}
