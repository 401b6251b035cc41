// One client of a fleet: permits, retries and the order of the send queue, without bodies; and the clock that all share.

import { Timed } from '../../../src/core/queues.ts'
import { nextAttempt } from '../../../src/core/retry.ts'
import type { Outcome, Permits } from '../../../src/core/types.ts'

export class World {
  now = 0
  readonly #events = new Timed<() => void>()

  at(time: number, event: () => void): void {
    this.#events.put(time, event)
  }

  run(until: number): void {
    while (this.step(until)) continue
  }

  /** @returns whether anything happened before that time */
  step(until: number): boolean {
    const at = this.#events.nextAt
    if (at >= until) return false
    this.now = at
    this.#events.take()!()
    return true
  }
}

export interface MemberPlan {
  /** Milliseconds from when to when it has something to send. */
  readonly from: number
  readonly to: number
  /** No answer reaches it after that. */
  readonly isKilled?: boolean
  /** All its records are of one key, so that one request follows the other. */
  readonly isHot?: boolean
  /** Milliseconds between two records of its source at a time, Infinity while there are none; and until when that is so. What it
   *  does not take waits, up to half a second's worth. Absent: there is always one more. */
  readonly input?: (now: number) => readonly [everyMs: number, until: number]
  /** When a process that sleeps at this time awakes, or the same time. */
  readonly wakesAt?: (now: number) => number
}

const WAITING_MS = 500

/** Answers a request, later. */
export type Send = (answer: (outcome: Outcome) => void) => void

/** How long it takes to send one request: those of one turn are sent one after another, and all are counted when it begins. */
const SEND_MS = 0.02

/** As much of a batch as a retry needs to know. */
const BATCH = { table: { name: 't', keepLast: true }, track: { name: 't' }, attempts: 0, firstAt: 0, wasStale: false }
type Batch = typeof BATCH
const RETRY_FOR_MS = 900_000
const GUARD_MS = 60_000
/** As in send-queue.ts. */
const PROBE_MS = 2000

export class Member {
  inFlight = 0
  /** When its attempts succeeded. */
  readonly successes: number[] = []
  readonly parts: { plan: MemberPlan; permits: Permits; world: World; send: Send; random: () => number }
  readonly #retries = new Timed<Batch>()
  #lastEnd = -Infinity
  /** When the hot key's next value may be sent. */
  #freeAt = -Infinity
  #timer = Infinity
  /** When the source's next record is there. */
  #recordAt = -Infinity

  constructor(parts: Member['parts']) {
    this.parts = parts
    this.#setTimer(parts.plan.from)
  }

  // What follows is Delivery.#turn, #attempt and #retry, and SendQueue.next, nextRetryAt and nextChange.

  #turn(): void {
    if (this.#isGone) return
    const { world, permits, send, plan } = this.parts
    const wakesAt = plan.wakesAt?.(world.now) ?? world.now
    if (wakesAt > world.now) return this.#setTimer(wakesAt)
    // as a process sees it
    const now = Math.floor(world.now)
    for (let next = this.#next(now), nth = 0; next; next = this.#next(now), nth++) {
      const batch = next
      const started = now + nth * SEND_MS
      this.inFlight++
      if (batch.attempts++ === 0) batch.firstAt = started
      send((outcome) => this.#ended(batch, outcome, started))
    }
    const change = permits.nextChange(now) ?? Infinity
    const due = [this.#nextRetryAt, this.#nextFirstAt].map((at) => (at <= now ? change : at))
    this.#setTimer(Math.min(...due))
  }

  #ended(batch: Batch, outcome: Outcome, started: number): void {
    if (this.#isGone) return
    const { world, permits, random, plan } = this.parts
    const wakesAt = plan.wakesAt?.(world.now) ?? world.now
    if (wakesAt > world.now) return world.at(wakesAt, () => this.#ended(batch, outcome, started))
    const now = (this.#lastEnd = Math.floor(world.now))
    this.inFlight--
    permits.give(outcome, Math.max(0, now - started), now)
    if (outcome.status === 'retry') {
      if (outcome.ambiguous) this.#freeAt = now + GUARD_MS
      this.#retries.put(nextAttempt(outcome, batch, RETRY_FOR_MS, now, random())!, batch)
    } else this.successes.push(world.now)
    this.#turn()
  }

  #next(now: number): Batch | undefined {
    const { permits } = this.parts
    if (this.#nextRetryAt <= now) return permits.take('retry', now) ? this.#retries.take() : undefined
    if (this.#nextFirstAt > now || !permits.take('first', now)) return undefined
    if (this.parts.plan.input)
      this.#recordAt = Math.max(this.#recordAt, now - WAITING_MS) + this.parts.plan.input(now)[0]
    return { ...BATCH }
  }

  get #nextRetryAt(): number {
    const at = this.#retries.nextAt
    return this.inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastEnd + PROBE_MS) : at
  }

  get #nextFirstAt(): number {
    const { plan, world } = this.parts
    if (world.now >= plan.to) return Infinity
    if (plan.input) {
      const [everyMs, until] = plan.input(world.now)
      return everyMs === Infinity ? until : this.#recordAt
    }
    if (plan.isHot !== true) return -Infinity
    return this.inFlight + this.#retries.size > 0 ? Infinity : this.#freeAt
  }

  get #isGone(): boolean {
    return this.parts.plan.isKilled === true && this.parts.world.now >= this.parts.plan.to
  }

  /** A timer rings within the millisecond after its time. */
  #setTimer(at: number): void {
    if (at === Infinity || at >= this.#timer) return
    const timer = (this.#timer = Math.ceil(at) + this.parts.random())
    this.parts.world.at(timer, () => {
      // an earlier one was set since
      if (this.#timer !== timer) return
      this.#timer = Infinity
      this.#turn()
    })
  }
}
