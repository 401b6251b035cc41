// Repeats a request until the registry answers. One that is down, overloaded or out of reach is waited for without a limit.

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
  /** Learns how each request ends. */
  readonly outage?: OutageEvents | undefined
}

export class RetryingClient {
  readonly #options: RetryingClientOptions
  /** Requests that wait, each by a token of its own, and why. */
  readonly #waiting = new Map<object, string>()
  /** No request before this time: Retry-After. */
  #pausedUntil = -Infinity
  #pausedBecause = ''

  constructor(options: RetryingClientOptions) {
    this.#options = options
  }

  /** Why requests wait, for messages. `undefined` when none does. */
  get waitsBecause(): string | undefined {
    return this.#waiting.values().next().value
  }

  /** @returns an answer that another attempt would not change: neither 408, 429 nor 5xx, except 501
   *  @throws signal.reason when it aborts; what `ask` throws */
  async ask(path: string, signal: AbortSignal): Promise<RegistryResponse> {
    const me = {}
    try {
      for (let tries = 1; ; tries++) {
        await this.#pause(me, signal)
        const asked = await this.#attempt(path, signal)
        const reason = passingReason(asked)
        if (reason === undefined) return asked as RegistryResponse
        this.#noteWait(me, reason)
        this.#honour(asked, reason)
        await this.#wait(backoffMs(REGISTRY, tries, this.#options.clock.random()), signal)
      }
    } finally {
      this.#waiting.delete(me)
    }
  }

  /** Waits until the time that Retry-After named is over; another request may move it meanwhile. */
  async #pause(me: object, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    for (let ms = this.#pausedUntil - clock.now(); ms > 0; ms = this.#pausedUntil - clock.now()) {
      this.#noteWait(me, this.#pausedBecause)
      await this.#wait(ms, signal)
    }
    signal.throwIfAborted()
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.wait(ms, signal)
    signal.throwIfAborted()
  }

  /** Pauses all requests for as long as Retry-After says. */
  #honour(asked: RegistryResult, reason: string): void {
    if ('failed' in asked || asked.retryAfterMs === undefined) return
    this.#pausedUntil = this.#options.clock.now() + Math.min(LONGEST_RETRY_AFTER_MS, asked.retryAfterMs)
    this.#pausedBecause = reason
  }

  #noteWait(me: object, reason: string): void {
    this.#waiting.set(me, `the schema registry ${this.#options.address} cannot be asked: ${reason}`)
  }

  async #attempt(path: string, signal: AbortSignal): Promise<RegistryResult> {
    const { ask, outage } = this.#options
    outage?.began()
    try {
      const asked = await ask(path, signal)
      signal.throwIfAborted()
      if (outage) report(outage, asked)
      return asked
    } catch (error) {
      outage?.ended()
      throw error
    }
  }
}

function report(outage: OutageEvents, asked: RegistryResult): void {
  const reason = passingReason(asked)
  if (reason === undefined) outage.answered()
  else if ('failed' in asked) outage.failed(asked.why ?? { words: reason }, asked.remedy)
  else if (asked.status === 429) outage.throttled()
  else outage.failed(statusCause(asked.status))
}

/** Why the request should be repeated. `undefined` when it should not. */
function passingReason(asked: RegistryResult): string | undefined {
  if ('failed' in asked) return asked.failed
  const { status } = asked
  return meaningOf(status, 'registry') === 'retry' ? `it answered ${status}` : undefined
}

/** One attempt. Resolves also when `signal` aborts, with any result. Redirects are not followed.
 *  @param path below the registry's address, with its query
 *  @throws ConnectorError when no attempt can ever succeed: a certificate that is not trusted */
export type AskRegistry = (path: string, signal: AbortSignal) => Promise<RegistryResult>

/** failed: no whole answer came: what was found, without a full stop. remedy: what to do if this persists, a sentence. why:
 *  what was found, in the standard words. */
export type RegistryResult =
  | RegistryResponse
  | { readonly failed: string; readonly remedy?: string; readonly why?: NetworkCause }

export interface RegistryResponse {
  readonly status: number
  /** Its text. `undefined` when it is no UTF-8. */
  readonly body: string | undefined
  /** Whether the body is longer, and this only its beginning. */
  readonly isCut: boolean
  /** The registry's own error message, in one line, scrubbed; '' if it has none. */
  readonly words: string
  /** Retry-After, counted from now. `undefined` when there is none that can be used. */
  readonly retryAfterMs: number | undefined
  /** The origin a redirect leads to, scrubbed. */
  readonly leadsTo: string | undefined
}
