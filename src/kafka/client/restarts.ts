// How soon a client that crashed is replaced, and when that is enough. Times are milliseconds, monotonic.

import { backoffMs, KAFKA_CLIENT } from '../../core/backoff.ts'
import type { KafkaProblem } from './kafka-problem.ts'

/** So long a client must have lived in its group for its end to be a new trouble. */
const STEADY_MS = 30_000
/** A topic or a group that is being made. */
const SOON_MS = 10_000
/** Once joined, even a refused login may be a broker that is only starting
 *  (decisions.md#an-outage-under-a-minute-ends-nothing). */
const OUTAGE_MS = 60_000

export type RestartAdvice =
  | { readonly waitMs: number }
  | { readonly giveUp: 'final' | 'deadline'; readonly forMs: number }

export class Restarts {
  readonly #deadlineMs: number
  #troubleSince: number | undefined
  #tries = 0
  #joinedAt: number | undefined
  #wasJoined = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  joined(now: number): void {
    this.#joinedAt ??= now
    this.#wasJoined = true
  }

  ended(kind: KafkaProblem['kind'], now: number): RestartAdvice {
    if (this.#joinedAt !== undefined && now - this.#joinedAt > STEADY_MS) this.#reset()
    this.#joinedAt = undefined
    this.#troubleSince ??= now
    const forMs = now - this.#troubleSince
    if (forMs >= this.#patience(kind)) return { giveUp: kind === 'passing' ? 'deadline' : 'final', forMs }
    return { waitMs: backoffMs(KAFKA_CLIENT, ++this.#tries, 0) }
  }

  #patience(kind: KafkaProblem['kind']): number {
    if (kind === 'final') return 0
    if (kind === 'passing') return this.#deadlineMs
    return this.#wasJoined ? OUTAGE_MS : kind === 'absent' ? SOON_MS : 0
  }

  #reset(): void {
    this.#troubleSince = undefined
    this.#tries = 0
  }
}
