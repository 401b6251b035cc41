// A transport that remembers how the service has been, and, for a consumer, sends nothing that its group no longer counts on.

import type { Clock, Outcome, Request, Transport } from '../core/types.ts'

export interface WatchedTransportParts {
  readonly transport: Transport
  readonly clock: Pick<Clock, 'now'>
  /** Whether the group still counts on this process (assumptions 45). */
  isMember(): boolean
}

const NOT_A_MEMBER: Outcome = {
  status: 'retry',
  cause: 'network',
  ambiguous: false,
  congestion: false,
  reason: 'the consumer group no longer counts on this process, which has not rejoined it yet',
}

export class WatchedTransport implements Transport {
  /** When the first of an unbroken row of failed attempts ended. */
  failingSince: number | undefined
  /** When the first of an unbroken row of throttled attempts ended. */
  throttledSince: number | undefined
  /** Until when the service asked for no request. */
  pausedUntil: number | undefined
  readonly #parts: WatchedTransportParts

  constructor(parts: WatchedTransportParts) {
    this.#parts = parts
  }

  async send(request: Request, signal: AbortSignal): Promise<Outcome> {
    const { transport, clock } = this.#parts
    if (!this.#parts.isMember()) return NOT_A_MEMBER
    const outcome = await transport.send(request, signal)
    const now = clock.now()
    const isThrottled = outcome.status === 'retry' && outcome.cause === 'throttled'
    this.throttledSince = isThrottled ? (this.throttledSince ?? now) : undefined
    if (outcome.status !== 'retry') this.failingSince = undefined
    else {
      this.failingSince ??= now
      if (outcome.afterMs !== undefined && outcome.congestion)
        this.pausedUntil = Math.max(this.pausedUntil ?? 0, now + outcome.afterMs)
    }
    return outcome
  }

  isQuiet(): boolean {
    return this.#parts.transport.isQuiet?.() ?? false
  }
}
