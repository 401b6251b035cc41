// What happens before this member rejoins its group: its partitions are revoked, or lost if the group went on without it.
// Meanwhile we send heartbeats ourselves, because kafkajs sends none while its join request is held.

import type { Clock } from '../../core/types.ts'
import { kafkaErrorType } from './kafka-problem.ts'
import type { Membership } from './membership.ts'
import { within } from '../../process/waiting.ts'

export interface HandoverOptions {
  readonly clock: Clock
  readonly membership: Membership
  readonly heartbeatMs: number
  readonly beat: () => Promise<Heartbeat>
  /** Stops fetching. */
  readonly pauseAll: () => void
  /** Resolves when no commit is in flight: a late one would count for the next generation. */
  readonly commitsDone: () => Promise<void>
}

export class Handover {
  readonly #options: HandoverOptions
  /** The handover that is under way. */
  #letGo: Promise<void> | undefined

  constructor(options: HandoverOptions) {
    this.#options = options
  }

  /** Resolves when the rejoin may begin. @param memberId of the join request; '' if the group has forgotten this member */
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
      // either a rebalance, or a generation that began and left this member out; the group is asked
      const answer = await beat()
      if (answer === 'gone') membership.lost('the group continued without this member')
      else if (answer === 'unanswered') membership.lost('the group coordinator does not answer, or is another now')
      else await this.#revoke()
    }
    await membership.quiet()
    await commitsDone()
  }

  async #revoke(): Promise<void> {
    const { clock, membership } = this.#options
    const done = new AbortController()
    const late = new AbortController()
    void clock
      .wait(Math.max(membership.rejoinMs, 0), done.signal)
      .then(() => late.abort(new Error('the group waits no longer')))
    void this.#keepAlive(done.signal)
    try {
      await membership.revoke(late.signal)
    } finally {
      done.abort()
    }
  }

  /** Without heartbeats a member is evicted after the session timeout, however long the rebalance may take. */
  async #keepAlive(done: AbortSignal): Promise<void> {
    const { clock, membership, heartbeatMs, beat } = this.#options
    while (!done.aborted) {
      await clock.wait(heartbeatMs, done)
      if (!done.aborted && (await beat()) === 'gone') membership.lost('the group continued without this member')
    }
  }
}

/** The answer to a heartbeat. good: this is a member, even if a rebalance is about to begin. gone: it is not. */
export type Heartbeat = 'good' | 'gone' | 'unanswered'

/** Errors of the protocol by which the group says that this is no member. */
const GONE = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])
/** How long the answer to a heartbeat may take. */
const ANSWER_MS = 2000

export class Heartbeats {
  readonly #clock: Clock
  readonly #heard: (at: number, isSteady: boolean) => void
  #send: (() => Promise<void>) | undefined
  #sentAt = -Infinity

  /** @param heard called after a successful heartbeat, with the time it was sent, and whether no rebalance had begun */
  constructor(clock: Clock, heard: (at: number, isSteady: boolean) => void) {
    this.#clock = clock
    this.#heard = heard
  }

  /** kafkajs offers a function to send heartbeats only with a batch. It works as long as the client, in later generations too. */
  use(send: () => Promise<void>): void {
    this.#send = send
  }

  /** Whether `beat` can send one. */
  get canBeat(): boolean {
    return this.#send !== undefined
  }

  /** A heartbeat was sent, by us or by kafkajs. */
  sent(): void {
    this.#sentAt = this.#clock.now()
  }

  answered(): void {
    this.#heard(this.#sentAt, true)
  }

  /** Sends a heartbeat. Good also when none can be sent yet, because nothing was fetched so far. */
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
      this.#heard(this.#sentAt, false)
      return 'good'
    }
    return type !== undefined && GONE.has(type) ? 'gone' : 'unanswered'
  }
}
