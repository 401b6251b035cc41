// Decides when a client that ended is replaced by another, and when the group member gives up. The member calls `joined` when it gets
// partitions, and `ended` when its client ends. Times are milliseconds of a monotonic clock.

import { ANY_CHANCE, backoffMs, KAFKA_CLIENT } from '../../core/backoff.ts'
import type { KafkaProblem } from './kafka-problem.ts'

/** A client that was in its group for longer ended for a new reason: the deadline starts again. */
const STEADY_MS = 30_000
/** How long refusals are borne at the start that brokers also give while a topic or group is created. */
const CREATION_MS = 10_000
/** How long refusals are borne after a join, since a starting broker refuses (decisions.md#an-outage-under-a-minute-ends-nothing). */
const OUTAGE_MS = 60_000

type RestartAdvice =
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** `failedMs` is for how long clients have failed in a row. */
  | { readonly kind: 'give up'; readonly failedMs: number }

export class Restarts {
  readonly #deadlineMs: number
  /** When the first of the clients ended that failed in a row (`undefined` when none has), and how many there were. */
  #failingSince: number | undefined
  #failures = 0
  /** When the client that runs now joined. `undefined` when it has not. */
  #joinedAt: number | undefined
  #hasAnyJoined = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  /** To be called when the client has got partitions. */
  joined(now: number): void {
    this.#joinedAt ??= now
    this.#hasAnyJoined = true
  }

  /** To be called when the client ended. @param kind of the problem that ended it */
  ended(kind: KafkaProblem['kind'], now: number): RestartAdvice {
    if (this.#joinedAt !== undefined && now - this.#joinedAt > STEADY_MS) {
      this.#failingSince = undefined
      this.#failures = 0
    }
    this.#joinedAt = undefined
    this.#failingSince ??= now
    const failedMs = now - this.#failingSince
    if (failedMs >= this.#patienceMs(kind)) return { kind: 'give up', failedMs }
    return { kind: 'wait', waitMs: backoffMs(KAFKA_CLIENT, ++this.#failures, ANY_CHANCE) }
  }

  /** How long failures are borne, when the latest is of this kind: `refused` and `absent` are refusals, `absent` one that may be brief. */
  #patienceMs(kind: KafkaProblem['kind']): number {
    if (kind === 'final') return 0
    if (kind === 'passing') return this.#deadlineMs
    if (this.#hasAnyJoined) return Math.min(this.#deadlineMs, OUTAGE_MS)
    return kind === 'absent' ? Math.min(this.#deadlineMs, CREATION_MS) : 0
  }
}
