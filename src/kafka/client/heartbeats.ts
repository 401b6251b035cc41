// Heartbeats of our own, for while kafkajs sends none: it waits to rejoin, and the group counts the seconds. Knows no
// generation.

import type { Clock } from '../../core/types.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import { within } from './within.ts'

/** good: the group counts on this member, even if it is about to begin another generation. gone: it does not. */
export type Heartbeat = 'good' | 'gone' | 'unanswered'

const GONE = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])
const ANSWER_MS = 2000

export class Heartbeats {
  readonly #clock: Clock
  readonly #heard: (at: number) => void
  #send: (() => Promise<void>) | undefined
  #sentAt = -Infinity

  /** @param heard is told when the heartbeat left that was answered well */
  constructor(clock: Clock, heard: (at: number) => void) {
    this.#clock = clock
    this.#heard = heard
  }

  /** kafkajs gives its heartbeat away only with a batch. It stays good for that client, in later generations too. */
  use(send: () => Promise<void>): void {
    this.#send = send
  }

  /** One left, ours or kafkajs's own. */
  sent(): void {
    this.#sentAt = this.#clock.now()
  }

  answered(): void {
    this.#heard(this.#sentAt)
  }

  /** Good also when none was due, or none can be sent yet: then nothing was fetched either. */
  async beat(): Promise<Heartbeat> {
    if (!this.#send) return 'good'
    let result: Heartbeat = 'unanswered'
    const sent = this.#send().then(
      () => (result = 'good'),
      (error: unknown) => (result = this.#refused(kafkaErrorType(error))),
    )
    await within(sent, ANSWER_MS, this.#clock)
    return result
  }

  #refused(type: string | undefined): Heartbeat {
    if (type === 'REBALANCE_IN_PROGRESS') {
      this.answered()
      return 'good'
    }
    return type !== undefined && GONE.has(type) ? 'gone' : 'unanswered'
  }
}
