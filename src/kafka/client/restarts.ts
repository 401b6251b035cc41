// When a client that ended is replaced by another, and when the member gives up. A member calls `joined` when it gets partitions, and
// `ended` when its client ends. Times are milliseconds of a monotonic clock.

import { backoffMs, KAFKA_CLIENT } from '../../core/backoff.ts'
import type { KafkaProblem } from './kafka-problem.ts'

/** A client that was in its group for this long ended for a new reason: the deadline starts again. */
const STEADY_MS = 30_000
/** How long a topic or group may take to be created. */
const SOON_MS = 10_000
/** Once joined, even a refused login may be a broker that is only starting
 *  (decisions.md#an-outage-under-a-minute-ends-nothing). */
const OUTAGE_MS = 60_000

type RestartAdvice =
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** failedMs: for how long there were failures. */
  | { readonly kind: 'give up'; readonly failedMs: number }

export class Restarts {
  readonly #deadlineMs: number
  #failingSince: number | undefined
  #tries = 0
  /** When the client that runs now joined. `undefined` when it has not. */
  #joinedAt: number | undefined
  #wasJoined = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  joined(now: number): void {
    this.#joinedAt ??= now
    this.#wasJoined = true
  }

  /** @param kind of the problem that ended the client */
  ended(kind: KafkaProblem['kind'], now: number): RestartAdvice {
    if (this.#joinedAt !== undefined && now - this.#joinedAt > STEADY_MS) {
      this.#failingSince = undefined
      this.#tries = 0
    }
    this.#joinedAt = undefined
    this.#failingSince ??= now
    const failedMs = now - this.#failingSince
    if (failedMs >= this.#patience(kind)) return { kind: 'give up', failedMs }
    return { kind: 'wait', waitMs: backoffMs(KAFKA_CLIENT, ++this.#tries, 0) }
  }

  /** How long failures are borne. */
  #patience(kind: KafkaProblem['kind']): number {
    if (kind === 'final') return 0
    if (kind === 'passing') return this.#deadlineMs
    if (this.#wasJoined) return Math.min(this.#deadlineMs, OUTAGE_MS)
    return kind === 'absent' ? Math.min(this.#deadlineMs, SOON_MS) : 0
  }
}
