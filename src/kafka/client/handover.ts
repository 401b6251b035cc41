// Lets the partitions go before this member rejoins its group (`Handover`): they are revoked, or lost if the group went on without it.
// Meanwhile we send heartbeats ourselves (`Heartbeats`), because kafkajs sends none while we hold its join request back.

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
  /** `undefined` when no handover is under way. */
  #underWay: Promise<void> | undefined

  constructor(options: HandoverOptions) {
    this.#options = options
  }

  /** Lets the partitions go, or waits for that if it is under way. Resolves when the rejoin may begin.
   *  @param memberId the member id in the join request; '' if it shows none, because the group has forgotten this member */
  async letGo(memberId: string): Promise<void> {
    this.#underWay ??= this.#letGo(memberId).finally(() => (this.#underWay = undefined))
    await this.#underWay
  }

  async #letGo(memberId: string): Promise<void> {
    const { membership, pauseAll, commitsDone, beat } = this.#options
    pauseAll()
    // without an assignment, at most positions are still being found: that ends without a report, so no reason is needed
    if (!membership.hasAssignment) membership.lost('')
    else if (memberId === '') membership.lost('the group no longer knows this member')
    else {
      // either a rebalance has begun, or it is over and left this member out; the answer to a heartbeat tells which
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
    const revoked = new AbortController()
    const late = new AbortController()
    void clock
      .wait(Math.max(membership.rejoinMs, 0), revoked.signal)
      .then(() => late.abort(new Error('the group waits no longer')))
    void this.#keepAlive(revoked.signal)
    try {
      await membership.revoke(late.signal)
    } finally {
      revoked.abort()
    }
  }

  /** Sends heartbeats until `done`: without them a member is evicted after the session timeout, however long the rebalance may take. */
  async #keepAlive(done: AbortSignal): Promise<void> {
    const { clock, membership, heartbeatMs, beat } = this.#options
    while (!done.aborted) {
      await clock.wait(heartbeatMs, done)
      if (!done.aborted && (await beat()) === 'gone') membership.lost('the group continued without this member')
    }
  }
}

/** The answer to a heartbeat. good: this process is a member, even if a rebalance is about to begin. gone: it is not. */
export type Heartbeat = 'good' | 'gone' | 'unanswered'

/** Names of the protocol's errors by which the group says that this process is no member. */
const GONE = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])
/** How long the answer to a heartbeat may take. */
const ANSWER_MS = 2000

/** The heartbeats of one kafkajs client: `beat` sends our own by its function; `sent` and `answered` are to be called for all of them. */
export class Heartbeats {
  readonly #clock: Clock
  readonly #heard: (sentAt: number, isSteady: boolean) => void
  #send: (() => Promise<void>) | undefined
  #sentAt = -Infinity

  /** @param heard called after a successful heartbeat, with the time it was sent, and whether no rebalance had begun */
  constructor(clock: Clock, heard: (sentAt: number, isSteady: boolean) => void) {
    this.#clock = clock
    this.#heard = heard
  }

  /** Takes kafkajs's function to send heartbeats, offered only with a batch. It works as long as the client, in later generations too. */
  use(send: () => Promise<void>): void {
    this.#send = send
  }

  /** Whether `beat` can send a heartbeat. */
  get canBeat(): boolean {
    return this.#send !== undefined
  }

  /** To be called when a heartbeat is sent, by us or by kafkajs. */
  sent(): void {
    this.#sentAt = this.#clock.now()
  }

  /** To be called when one succeeded, at kafkajs's HEARTBEAT event, which comes for ours too. */
  answered(): void {
    this.#heard(this.#sentAt, true)
  }

  /** Sends a heartbeat. `good` is returned unasked until `use` was called, since no records are handed on before that. */
  async beat(): Promise<Heartbeat> {
    if (!this.#send) return 'good'
    let result: Heartbeat = 'unanswered'
    const answered = this.#send().then(
      () => (result = 'good'),
      (error: unknown) => (result = this.#meaningOf(kafkaErrorType(error))),
    )
    await within(answered, ANSWER_MS, this.#clock)
    return result
  }

  #meaningOf(errorType: string | undefined): Heartbeat {
    if (errorType === 'REBALANCE_IN_PROGRESS') {
      this.#heard(this.#sentAt, false)
      return 'good'
    }
    return errorType !== undefined && GONE.has(errorType) ? 'gone' : 'unanswered'
  }
}
