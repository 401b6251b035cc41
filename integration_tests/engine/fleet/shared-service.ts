// The service that a fleet shares: as slow, as limited and as faulty as its plan says. It counts what it sees; the client's own
// code reads its answers.

import { answer, EPOCH, failure } from '../exchanges.ts'
import type { Random } from '../random.ts'
import { classify } from '../../../src/service/import/classify.ts'
import { targetOf } from '../../../src/service/http/answer.ts'
import { outcomeOf } from '../../../src/service/http/failure.ts'
import type { Outcome } from '../../../src/core/types.ts'
import type { Attempt, Service, World } from './member.ts'

/** A status, or what happens in its place. */
export type Fault = 429 | 500 | 502 | 503 | 504 | 'reset' | 'refused' | 'hangs'

export interface Span {
  /** Milliseconds. */
  readonly from: number
  readonly to: number
}

export interface ServicePlan {
  /** Milliseconds from a request to its answer, whatever that is, give or take a tenth. */
  readonly ms: number
  /** Requests a second: a bucket with a tenth of them saved up, or counted anew in each second. */
  readonly cap?: number
  readonly by?: 'bucket' | 'second'
  /** Requests in flight, at most. */
  readonly most?: number
  /** What those beyond get, and how many seconds they are asked to wait. */
  readonly refusal?: Fault
  readonly retryAfter?: number
  /** All requests stand in one line before so many workers, each of whom takes so many milliseconds for one. */
  readonly line?: { readonly workers: number; readonly ms: number }
  /** This share of all requests fails, whatever is sent. */
  readonly bad?: { readonly share: number; readonly fault: Fault }
  readonly outage?: Span & { readonly fault: Fault }
  readonly slow?: Span & { readonly ms: number }
}

const TARGET = targetOf({
  baseUrl: 'https://import.example.com',
  addressOption: 'import_url',
  clientId: 7,
  scrub: (text) => text,
})
const DELIVERED: Outcome = { status: 'delivered' }
const HANGS_MS = 10_000

function outcome(fault: Fault, retryAfter?: number): Outcome {
  const hint = retryAfter === undefined ? undefined : { text: String(retryAfter), until: () => 0 }
  const exchange =
    typeof fault === 'number'
      ? answer(fault, 'whole', hint)
      : failure(fault === 'hangs' ? 'timeout' : fault, fault !== 'refused')
  return exchange.kind === 'answer' ? classify(exchange, TARGET, EPOCH) : outcomeOf(exchange, TARGET)
}

/** What it saw in each second: requests when they came, the rest when it was answered. `ms`: of the good ones, summed. */
export type Seen = Readonly<Record<'sent' | 'good' | 'refused' | 'bad' | 'ms', Float64Array>>

export class SharedService implements Service {
  readonly seen: Seen
  readonly #plan: ServicePlan
  readonly #world: World
  readonly #random: Random
  readonly #refusal: Outcome
  readonly #fault: Outcome
  readonly #down: Outcome
  readonly #freeAt: Float64Array
  #tokens = 0
  #tokensAt = 0
  #inFlight = 0

  constructor(plan: ServicePlan, world: World, random: Random, seconds: number) {
    this.#plan = plan
    this.#world = world
    this.#random = random
    this.#refusal = outcome(plan.refusal ?? 429, plan.retryAfter)
    this.#fault = outcome(plan.bad?.fault ?? 503)
    this.#down = outcome(plan.outage?.fault ?? 503)
    this.#freeAt = new Float64Array(plan.line?.workers ?? 1)
    const count = (): Float64Array => new Float64Array(seconds + 1)
    this.seen = { sent: count(), good: count(), refused: count(), bad: count(), ms: count() }
  }

  receive(attempt: Attempt): void {
    const { now } = this.#world
    this.seen.sent[Math.floor(now / 1000)]!++
    const { bad, outage } = this.#plan
    if (isWithin(outage, now)) return this.#answer(attempt, this.#down, outage.fault)
    if (bad !== undefined && this.#random.next() < bad.share) return this.#answer(attempt, this.#fault)
    if (!this.#hasRoom(now)) return this.#answer(attempt, this.#refusal)
    this.#inFlight++
    return this.#answer(attempt, DELIVERED)
  }

  answered(attempt: Attempt): void {
    const second = Math.floor(this.#world.now / 1000)
    const { good, refused, bad, ms } = this.seen
    if (attempt.outcome === this.#refusal) refused[second]!++
    else if (attempt.outcome !== DELIVERED) bad[second]!++
    else {
      this.#inFlight--
      good[second]!++
      ms[second]! += this.#world.now - attempt.started
    }
  }

  #answer(attempt: Attempt, result: Outcome, fault?: Fault): void {
    const { now } = this.#world
    attempt.outcome = result
    const { ms, slow } = this.#plan
    const way = (isWithin(slow, now) ? slow.ms : ms) * this.#random.between(0.9, 1.1)
    const wait = fault === 'refused' ? 1 : fault === 'hangs' ? HANGS_MS : way
    this.#world.at((result === DELIVERED ? this.#workedAt(now) : now) + wait, attempt)
  }

  #hasRoom(now: number): boolean {
    const { cap, by, most } = this.#plan
    if (most !== undefined && this.#inFlight >= most) return false
    if (cap === undefined) return true
    const second = Math.floor(now / 1000)
    if (by === 'bucket')
      this.#tokens = Math.min(Math.max(1, cap / 10), this.#tokens + ((now - this.#tokensAt) * cap) / 1000)
    else if (Math.floor(this.#tokensAt / 1000) !== second || this.#tokensAt === 0) this.#tokens = cap
    this.#tokensAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** When the line's first free worker is done with a request that comes now. */
  #workedAt(now: number): number {
    const { line } = this.#plan
    if (!line) return now
    const at = this.#freeAt
    let first = 0
    for (let worker = 1; worker < at.length; worker++) if (at[worker]! < at[first]!) first = worker
    at[first] = Math.max(now, at[first]!) + line.ms * this.#random.between(0.9, 1.1)
    return at[first]!
  }
}

function isWithin<S extends Span>(span: S | undefined, now: number): span is S {
  return span !== undefined && now >= span.from && now < span.to
}
