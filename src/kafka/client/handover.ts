// What has to happen before this member may rejoin its group: what was assigned is let go, in peace if the group still counts on it,
// with heartbeats of our own, for kafkajs sends none while it waits to rejoin.

import type { Clock } from '../../core/types.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import type { Membership } from './membership.ts'
import { within } from './waiting.ts'

export interface HandoverOptions {
  readonly clock: Clock
  readonly membership: Membership
  readonly heartbeatMs: number
  readonly rebalanceTimeoutMs: number
  readonly beat: () => Promise<Heartbeat>
  /** Nothing more is to be fetched of what is let go. */
  readonly pauseAll: () => void
  /** Resolves when no commit is under way: one that arrived late would count for the next generation. */
  readonly commitsDone: () => Promise<void>
}

/** What the group's clock is ahead of ours, and our rejoin takes. */
const MARGIN_MS = 2000

export class Handover {
  readonly #options: HandoverOptions
  #letGo: Promise<void> | undefined

  constructor(options: HandoverOptions) {
    this.#options = options
  }

  /** @param memberId of the rejoin; '' : the group has forgotten this member. Resolves when it may begin. */
  async letGo(memberId: string): Promise<void> {
    this.#letGo ??= this.#begin(memberId).finally(() => (this.#letGo = undefined))
    await this.#letGo
  }

  async #begin(memberId: string): Promise<void> {
    const { membership, pauseAll, commitsDone, beat } = this.#options
    pauseAll()
    if (!membership.hasAssignment) membership.lost('')
    else if (memberId === '') membership.lost('the group no longer knows this member')
    else {
      // a rebalance, or a generation that began without this member: only the group knows
      const answer = await beat()
      if (answer === 'gone') membership.lost('the group went on without this member')
      else if (answer === 'unanswered') membership.lost('the group coordinator does not answer, or is another now')
      else await this.#revoke()
    }
    await membership.quiet()
    await commitsDone()
  }

  async #revoke(): Promise<void> {
    const { clock, membership, heartbeatMs, rebalanceTimeoutMs } = this.#options
    const done = new AbortController()
    const late = new AbortController()
    // the group began to wait up to a heartbeat ago
    const patienceMs = Math.max(rebalanceTimeoutMs / 2, rebalanceTimeoutMs - heartbeatMs - MARGIN_MS)
    void clock.wait(patienceMs, done.signal).then(() => late.abort(new Error('the group waits no longer')))
    void this.#keepAlive(done.signal)
    try {
      await membership.revoke(late.signal)
    } finally {
      done.abort()
    }
  }

  /** A member that does not heartbeat is dropped at the session timeout, however long the rebalance may take. */
  async #keepAlive(done: AbortSignal): Promise<void> {
    const { clock, membership, heartbeatMs, beat } = this.#options
    while (!done.aborted) {
      await clock.wait(heartbeatMs, done)
      if (!done.aborted && (await beat()) === 'gone') membership.lost('the group went on without this member')
    }
  }
}

/** good: the group counts on this member, even if it is about to begin another generation. gone: it does not. */
export type Heartbeat = 'good' | 'gone' | 'unanswered'

const GONE = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])
const ANSWER_MS = 2000

export class Heartbeats {
  readonly #clock: Clock
  readonly #heard: (at: number) => void
  #send: (() => Promise<void>) | undefined
  #sentAt = -Infinity

  /** @param heard called with when the heartbeat left that was answered well */
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
