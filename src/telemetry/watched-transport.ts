// A transport that notices how the service does: it keeps the `ServiceFacts` that `RunFactsSource` reads, and tells the outage watch of each
// attempt. A member of a group that may have lost its partitions sends nothing.

import type { OutageEvents } from '../core/network.ts'
import type { Clock, Outcome, Request, Transport } from '../core/types.ts'
import { RequestDurations, type RequestResult } from '../run/request-durations.ts'
import type { OutageState } from './outage-watch.ts'

export interface WatchedTransportParts {
  readonly transport: Transport
  readonly clock: Pick<Clock, 'now'>
  readonly outage: OutageEvents & { readonly state: OutageState | undefined }
  /** Tells whether an attempt may begin (`InputGroup.mayBegin`). */
  mayBegin(): boolean
}

/** The outcome of an attempt that is not made: to be repeated, and no sign of load, for nothing was sent. */
const NOT_A_MEMBER: Outcome = {
  status: 'retry',
  cause: 'network',
  ambiguous: false,
  congestion: false,
  reason:
    'the consumer group no longer counts on this process for as long as a request may take: its heartbeats are not answered, or it has not rejoined yet',
}

export class WatchedTransport implements Transport {
  #failingSince: number | undefined
  /** When the first of an unbroken series of throttled attempts ended. `undefined` when the last attempt was not throttled. */
  throttledSince: number | undefined
  /** Until when the service last asked for no request. `undefined` when it never has. */
  pausedUntil: number | undefined
  /** Durations of attempts that were sent and not aborted. */
  readonly durations = new RequestDurations()
  readonly #parts: WatchedTransportParts

  constructor(parts: WatchedTransportParts) {
    this.#parts = parts
  }

  /** When the first of an unbroken series of failed attempts ended, or all answers stopped. `undefined` when the last attempt succeeded. */
  get failingSince(): number | undefined {
    return this.#failingSince ?? this.#parts.outage.state?.since
  }

  /** Why the last of them failed, for people. `undefined` when the last attempt succeeded. */
  get failingCause(): string | undefined {
    return this.#parts.outage.state?.cause
  }

  async send(request: Request, signal: AbortSignal): Promise<Outcome> {
    const { transport, clock, outage } = this.#parts
    if (!this.#parts.mayBegin()) return NOT_A_MEMBER
    outage.began()
    const began = clock.now()
    const outcome = await transport.send(request, signal)
    // aborted by this program, or sent on a connection that had been idle for too long: it says nothing about the service
    const isInconclusive = outcome.status === 'retry' && (signal.aborted || outcome.stale === true)
    notify(outage, outcome, isInconclusive)
    const now = clock.now()
    if (!signal.aborted) this.durations.add(resultOf(outcome), now - began)
    if (!isInconclusive) this.#note(outcome, now)
    return outcome
  }

  #note(outcome: Outcome, now: number): void {
    const isThrottled = outcome.status === 'retry' && outcome.cause === 'throttled'
    this.throttledSince = isThrottled ? (this.throttledSince ?? now) : undefined
    this.#failingSince = outcome.status === 'retry' ? (this.#failingSince ?? now) : undefined
    // a Retry-After counts where the answer says that too much is sent
    if (outcome.status === 'retry' && outcome.afterMs !== undefined && outcome.congestion)
      this.pausedUntil = Math.max(this.pausedUntil ?? 0, now + outcome.afterMs)
  }

  /** Whether no bytes of any request wait to be sent, so that buffers may be reused; false when the transport does not tell. */
  isQuiet(): boolean {
    return this.#parts.transport.isQuiet?.() ?? false
  }
}

function resultOf({ status }: Outcome): RequestResult {
  if (status === 'delivered') return status
  return status === 'retry' ? 'failed' : 'refused'
}

function notify(outage: OutageEvents, outcome: Outcome, isInconclusive: boolean): void {
  // `stop` is no outage: the run ends with its error
  if (outcome.status === 'stop' || isInconclusive) outage.ended()
  else if (outcome.status !== 'retry') outage.answered()
  else if (outcome.cause === 'throttled') outage.throttled()
  else outage.failed(outcome.why ?? { words: outcome.reason }, outcome.remedy)
}
