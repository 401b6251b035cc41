// What has to happen before this member may rejoin its group: what was assigned is let go, in peace if the group still
// counts on it. Knows no client: is asked when a rejoin is about to begin.

import type { Clock } from '../../core/types.ts'
import type { Heartbeat } from './heartbeats.ts'
import type { Membership } from './membership.ts'

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
    if (!membership.isTold) membership.lost('')
    else if (memberId === '') membership.lost('the group no longer knows this member')
    else {
      // a rebalance, or a generation that began without this member: only the group can tell
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
