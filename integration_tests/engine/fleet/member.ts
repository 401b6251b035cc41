// One client of a fleet: permits, retries and the order of the send queue, without bodies. Time is its world's, and what becomes
// of an attempt is the service's to say.

import { Timed } from '../../../src/core/queues.ts'
import { nextAttempt } from '../../../src/core/retry.ts'
import type { Outcome, Permits } from '../../../src/core/types.ts'
import type { Random } from '../random.ts'

/** The clock of everybody. */
export class World {
  now = 0
  readonly #events = new Timed<Event>()

  at(time: number, event: Event): void {
    this.#events.put(time, event)
  }

  run(until: number): void {
    while (this.#events.nextAt <= until) {
      this.now = this.#events.nextAt
      this.#events.take()!.happen()
    }
    this.now = until
  }
}

export interface Event {
  happen(): void
}

/** One attempt, on its way from a member through the service and back. */
export class Attempt implements Event {
  readonly batch: Batch
  readonly started: number
  outcome: Outcome | undefined
  readonly #member: Member
  readonly #service: Service

  constructor(member: Member, service: Service, batch: Batch, started: number) {
    this.#member = member
    this.#service = service
    this.batch = batch
    this.started = started
  }

  /** Its answer is here. */
  happen(): void {
    this.#service.answered(this)
    this.#member.ended(this)
  }
}

export interface Service {
  /** Sees to it that the attempt gets an outcome, and happens when its answer is there. */
  receive(attempt: Attempt): void
  answered(attempt: Attempt): void
}

/** As much of a batch as a retry needs to know. */
interface Batch {
  readonly table: { readonly name: string }
  readonly track: { readonly name: string }
  attempts: number
  firstAt: number
  wasStale: boolean
}

export interface MemberPlan {
  /** Milliseconds from when to when it has something to send. */
  readonly from: number
  readonly to: number
  /** Whether its process is killed then: no answer reaches it. */
  readonly isKilled: boolean
  /** Whether all its records are of one key, so that one request follows the other. */
  readonly isHot: boolean
}

const TABLE = { name: 'table' }
const TRACK = { name: 'track' }
const RETRY_FOR_MS = 900_000
const GUARD_MS = 60_000
/** As in send-queue.ts. */
const PROBE_MS = 2000

export class Member implements Event {
  readonly plan: MemberPlan
  readonly permits: Permits
  inFlight = 0
  /** When its attempts succeeded. */
  readonly successes: number[] = []
  readonly #world: World
  readonly #service: Service
  readonly #random: Random
  readonly #retries = new Timed<Batch>()
  #lastEnd = -Infinity
  /** When the hot key's next value may be sent. */
  #freeAt = -Infinity
  #timer = Infinity

  constructor(plan: MemberPlan, permits: Permits, world: World, service: Service, random: Random) {
    this.plan = plan
    this.permits = permits
    this.#world = world
    this.#service = service
    this.#random = random
    this.#setTimer(plan.from)
  }

  /** Its timer rings. */
  happen(): void {
    // an earlier one was set since
    if (this.#world.now < this.#timer) return
    this.#timer = Infinity
    this.#turn(this.#now)
  }

  ended(attempt: Attempt): void {
    if (this.plan.isKilled && this.#world.now >= this.plan.to) return
    const now = this.#now
    const outcome = attempt.outcome!
    this.inFlight--
    this.#lastEnd = now
    this.permits.give(outcome, now - attempt.started, now)
    if (outcome.status === 'retry') this.#again(attempt.batch, outcome, now)
    else {
      this.successes.push(this.#world.now)
      if (this.plan.isHot) this.#freeAt = Math.max(this.#freeAt, now)
    }
    this.#turn(now)
  }

  /** As a process sees the time. */
  get #now(): number {
    return Math.floor(this.#world.now)
  }

  #again(batch: Batch, outcome: Outcome & { status: 'retry' }, now: number): void {
    if (this.plan.isHot && outcome.ambiguous) this.#freeAt = now + GUARD_MS
    const at = nextAttempt(outcome, batch, RETRY_FOR_MS, now, this.#random.next())
    if (outcome.stale === true) batch.wasStale = true
    if (typeof at === 'number') this.#retries.put(at, batch)
  }

  // From here on it is Delivery.#turn, SendQueue.next and SendQueue.nextChange.

  #turn(now: number): void {
    if (this.plan.isKilled && now >= this.plan.to) return
    for (let batch = this.#next(now); batch; batch = this.#next(now)) {
      this.inFlight++
      if (batch.attempts++ === 0) batch.firstAt = now
      this.#service.receive(new Attempt(this, this.#service, batch, now))
    }
    const change = this.permits.nextChange(now) ?? Infinity
    const retry = this.#nextRetryAt
    const first = this.#nextFirstAt
    this.#setTimer(Math.min(retry <= now ? change : retry, first <= now ? change : first))
  }

  #next(now: number): Batch | undefined {
    if (this.#nextRetryAt <= now) return this.permits.take('retry', now) ? this.#retries.take() : undefined
    if (this.#nextFirstAt > now || !this.permits.take('first', now)) return undefined
    return { table: TABLE, track: TRACK, attempts: 0, firstAt: now, wasStale: false }
  }

  get #nextRetryAt(): number {
    const at = this.#retries.nextAt
    return this.inFlight === 0 && at !== Infinity ? Math.min(at, this.#lastEnd + PROBE_MS) : at
  }

  get #nextFirstAt(): number {
    if (this.#world.now >= this.plan.to) return Infinity
    return this.plan.isHot && this.inFlight + this.#retries.size > 0 ? Infinity : this.#freeAt
  }

  /** A timer rings within the millisecond after its time. */
  #setTimer(at: number): void {
    if (at >= this.#timer || at === Infinity) return
    this.#timer = Math.ceil(at) + this.#random.next()
    this.#world.at(this.#timer, this)
  }
}
