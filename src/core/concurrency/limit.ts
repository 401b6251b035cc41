// How much may be sent, found out while sending (`AdaptivePermits`). Pure arithmetic on the `now` that callers pass. All its
// numbers are in tuning.ts; docs/DESIGN.md#how-much-is-sent has the rules on a page.
//
// Permits, how many attempts may be in flight, follow the latency (latency.ts). A rate, attempts a second, follows what is refused:
// 429, Retry-After, timeouts (rate.ts), and other faults only if they depend on what is sent (faults.ts). An outage or a pause says
// nothing about either, so afterwards the permits double back to what they were, within the rate.

import type { Outcome, Permits } from '../types.ts'
import { FaultAllowance } from './faults.ts'
import { ConcurrencyGate } from './gate.ts'
import { Latency } from './latency.ts'
import type { Growth } from './latency.ts'
import { LearntRate, RateLimiter } from './rate.ts'
import type { RateRefusal } from './rate.ts'
import { LATENCY, LIMIT, SECOND_MS } from './tuning.ts'

export interface AdaptivePermitsOptions {
  /** The most attempts per second, retries included; absent: no limit. */
  readonly perSecond?: number | undefined
  /** Milliseconds that this process has been busy so far; absent: it never is. */
  readonly busyMs?: (() => number) | undefined
}

export interface RateLearnt {
  /** Attempts a second, Infinity: none was learnt, and nothing else is said. */
  readonly perSecond: number
  /** The last refusal in words, and whether it may have been chance: a plain fault. */
  readonly cause?: string | undefined
  readonly isSuspected?: boolean | undefined
  /** Milliseconds by the caller's clock: when the rate was learnt. */
  readonly since?: number
}

/** A refusal by attempts that hang. */
const HANGS = { cause: 'requests that hang', isSuspected: true }

/** pause: a Retry-After · outage: nothing succeeds · rate: the learnt one. */
export type HeldBy = 'pause' | 'outage' | 'rate' | 'permits'

/** Permits that need no tuning. First attempts wait while as many batches wait for a retry as there can be permits; while the
 *  service is down, while any batch does. */
export class AdaptivePermits implements Permits {
  readonly #perSecond: number
  readonly #busyMs: () => number
  readonly #gate: ConcurrencyGate
  readonly #rate = new LearntRate()
  readonly #faults = new FaultAllowance()
  readonly #latency = new Latency()
  readonly #window = new Window()
  /** Permits, with a fraction, so that small steps add up. */
  #limit = LIMIT.start
  readonly #hanging = new Hanging()
  /** Below this, a clean window doubles the limit. */
  #target = Infinity
  /** The limit before nothing succeeded any more. */
  #alive = LIMIT.start
  /** Windows in a row without any success. */
  #dead = 0
  #isRestart = false
  #takenAt = -Infinity
  #passedAt = -Infinity
  /** When an attempt last began beside as many as may be. */
  #triedAt = -Infinity
  /** When permits or rate last held an attempt back, and whether it was the rate since the last attempt. */
  #heldAt = -Infinity
  #rateHeldAt = -Infinity
  #isRateWaitedFor = false
  #now = -Infinity
  /** Milliseconds of an attempt: a mean in which newer ones count more, Infinity before the first. */
  #tripMs = Infinity
  /** The time of the last decision, and how long the process had been busy by then. */
  #decidedAt = -Infinity
  #busyUntil = 0
  /** The latency of attempts that started before this is not counted. */
  #silentUntil = -Infinity

  constructor(options: AdaptivePermitsOptions = {}) {
    this.#perSecond = options.perSecond ?? Infinity
    this.#busyMs = options.busyMs ?? (() => 0)
    this.#gate = new ConcurrencyGate(new RateLimiter(this.#perSecond))
  }

  /** How many attempts may be in flight now, for messages and tests. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** The rate that was learnt from refusals. */
  get rate(): RateLearnt {
    const { perSecond, refusal, since } = this.#rate
    if (perSecond === Infinity) return { perSecond }
    return { perSecond, cause: refusal?.cause, isSuspected: refusal?.isSuspected, since }
  }

  /** What holds attempts back, as of the last second. */
  get heldBy(): HeldBy | undefined {
    if (this.#gate.isPaused(this.#now)) return 'pause'
    if (this.#dead > 0) return 'outage'
    if (this.#now - this.#rateHeldAt < SECOND_MS) return 'rate'
    return this.#now - this.#heldAt < SECOND_MS ? 'permits' : undefined
  }

  take(kind: 'first' | 'retry', at: number): boolean {
    const now = this.#tick(at)
    const gate = this.#gate
    if (gate.isPaused(now)) return false
    if (kind === 'first' && gate.waiting >= (this.#dead > 0 ? 1 : LIMIT.ceiling)) {
      this.#heldAt = now
      return false
    }
    if (this.#isRestart) this.#endPause(now)
    const isFull = now < this.#freeAt
    if (isFull || gate.isRateLimited(now)) {
      this.#heldAt = now
      if (isFull && gate.inFlight >= this.limit) this.#window.reached = true
      else if (!isFull || this.#dead === 0) this.#holdByRate(now)
      return false
    }
    if (this.#isRateWaitedFor) this.#waited(now)
    if (this.#isFull) this.#triedAt = now
    gate.enter(kind, now)
    this.#hanging.begin(now)
    this.#takenAt = now
    if (gate.inFlight >= this.limit) this.#window.reached = true
    return true
  }

  /** @param ms how long this one attempt took, without waiting here, retries and pauses */
  give(outcome: Outcome, ms: number, at: number): void {
    const now = this.#tick(at)
    const sign = signOf(outcome)
    const started = this.#hanging.end(now - ms)
    if (this.#gate.leave(outcome, now)) this.#isRestart = true
    if (sign === 'none') return
    if (sign === 'good') this.#pass(started, now)
    const isBeyond = this.#isBeyond(sign === 'fault', started, now)
    if (sign === 'refused' || isBeyond) this.#refuse(outcome, started, ms, now)
    const window = this.#window
    if (outcome.status === 'delivered')
      this.#tripMs = this.#tripMs === Infinity ? ms : this.#tripMs + (ms - this.#tripMs) / LATENCY.samplesTrial
    if (started < window.since) return
    window.count(sign)
    if (outcome.status === 'delivered' && started >= this.#silentUntil) this.#latency.add(ms)
    if (window.isOver(this.#generation(), now)) this.#decide(now)
  }

  drop(): void {
    this.#gate.waiting--
  }

  nextChange(at: number): number | undefined {
    const now = this.#tick(at)
    const change = Math.max(this.#gate.opensAt, this.#freeAt)
    return change > now && change !== Infinity ? change : undefined
  }

  /** How many answers make a window. While doubling, half of them are enough; on the way back as many as make a mean, or a small
   *  limit would be told from a stall by none. */
  #generation(): number {
    if (!this.#isDoubling()) return this.limit
    const half = Math.ceil(this.limit / 2)
    return this.#target === Infinity ? half : Math.max(half, LATENCY.samples / 2)
  }

  #isDoubling(): boolean {
    return this.#limit < this.#target && this.#limit < LIMIT.ceiling
  }

  #growth(): Growth {
    if (!this.#isDoubling()) return 'slow'
    return this.#target === Infinity ? 'doubling' : 'returning'
  }

  /** How many attempts are in flight at the learnt rate, by Little's law. Chance and late timers would heap up more, and a service
   *  may count what is in flight. One more than one, for a single one leaves a gap after each answer. */
  get #mostAtRate(): number {
    const { perSecond } = this.#rate
    return perSecond === Infinity ? Infinity : Math.max(2, Math.ceil((perSecond * this.#tripMs) / 1000))
  }

  /** Attempts in flight, without those that hang. */
  get #inTheWay(): number {
    return this.#gate.inFlight - this.#hanging.count
  }

  get #isFull(): boolean {
    return this.#inTheWay >= Math.min(this.limit, this.#mostAtRate)
  }

  /** When a permit becomes free even if no answer comes; in the past if one is free. */
  get #freeAt(): number {
    const { inFlight } = this.#gate
    if (inFlight >= LIMIT.ceiling) return Infinity
    if (this.#isFull) return this.#takenAt + SECOND_MS
    if (this.#dead === 0) return -Infinity
    if (inFlight >= LIMIT.start) return Infinity
    return this.#takenAt + Math.min(SECOND_MS, LIMIT.shortestMs * 2 ** Math.min(this.#dead, 10))
  }

  /** The service accepted a request, or refused it for its content. */
  #pass(started: number, now: number): void {
    if (this.#dead > 0 && this.#isOut()) this.#restart(this.#alive, now, true)
    this.#dead = 0
    const found = this.#hanging.pass(started)
    // all that was in the way hung until this one was tried
    if (found > 0 && started === this.#triedAt) this.#cut({ ...HANGS, costMs: SECOND_MS }, now)
    else
      for (let nth = 0; nth < found; nth++)
        if (this.#isBeyond(true, started, now)) this.#cut({ ...HANGS, costMs: 0 }, now)
    if (this.#rate.pass(started, now)) this.#limitRate()
    this.#passedAt = now
    this.#window.isAlive = true
  }

  #isOut(): boolean {
    return this.#now - this.#passedAt > LIMIT.outageMs
  }

  #refuse(outcome: Outcome, started: number, ms: number, now: number): void {
    if (outcome.status !== 'retry' || started < this.#rate.cutAt) return
    const { why, afterMs = 0, cause } = outcome
    const costMs = cause === 'timeout' ? ms : afterMs
    this.#cut({ cause: why?.words, isSuspected: signOf(outcome) === 'fault', costMs, isPause: afterMs > 0 }, now)
  }

  #cut(refusal: RateRefusal, now: number): void {
    this.#rate.cut(this.#inTheWay, now, refusal)
    this.#limitRate()
  }

  /** Whether a fault is a refusal. An outage says nothing about what is sent, nor does a fault while nothing was held back. */
  #isBeyond(isFault: boolean, started: number, now: number): boolean {
    return this.#dead === 0 && this.#faults.isRefusal(isFault, now) && this.#heldAt >= started
  }

  #holdByRate(now: number): void {
    this.#isRateWaitedFor = this.#rate.perSecond <= this.#perSecond
    if (this.#isRateWaitedFor) this.#rateHeldAt = now
  }

  #waited(now: number): void {
    this.#isRateWaitedFor = false
    this.#rate.waited(Math.min(now - this.#takenAt, SECOND_MS), now)
    this.#limitRate()
  }

  #limitRate(): void {
    this.#gate.limiter.set(Math.min(this.#perSecond, this.#rate.perSecond))
  }

  #decide(now: number): void {
    const window = this.#window
    const before = this.#limit
    const busy = this.#busyShare(now)
    const growth = this.#growth()
    if (window.isDead(this.#isOut())) this.#die()
    else if (window.isClean) this.#grow(now, busy, growth)
    // one stall delays answers of two windows, so the next window counts only what starts after this
    const isStalled = growth === 'returning' && this.#latency.pressure === 'slow'
    const isFresh = isStalled || this.#limit < before || this.#limit > before * LATENCY.steady
    window.open(now, isFresh)
    if (isFresh) this.#latency.clear()
    // what began in this millisecond began before the cut, because nothing begins while so many are in flight
    if (isFresh && this.#latency.isTrying) window.since = now + 1
  }

  /** The part of the time since the last decision in which the process was busy. */
  #busyShare(now: number): number {
    const busy = this.#busyMs()
    const share = (busy - this.#busyUntil) / (now - this.#decidedAt)
    this.#busyUntil = busy
    this.#decidedAt = now
    return share
  }

  /** Nothing succeeds: goes down to one permit, and notes where to return to. */
  #die(): void {
    const limit = this.#latency.restart(this.#limit)
    if (this.#dead++ === 0) this.#alive = limit
    this.#target = Math.max(this.#target, limit)
    this.#limit = Math.max(1, limit / 2)
  }

  #grow(now: number, busy: number, growth: Growth): void {
    const window = this.#window
    const before = this.#limit
    // a small limit grows even in a busy process, because one that is merely held up now and then looks busy too
    const isBusy = before >= LIMIT.start && busy >= LIMIT.busy
    const latency = this.#latency
    const wasTrying = latency.isTrying
    this.#limit = latency.judge(before, window.reached, growth, busy >= LIMIT.busy, now)
    const isHigh = latency.pressure === 'slow' || latency.pressure === 'high'
    // fewer are enough; while half is tried, it is not known yet
    const isBack = growth === 'returning' && isHigh && before < LIMIT.start
    // the service became slower by itself: how many it takes is found anew
    if (wasTrying && this.#limit > before) this.#target = Infinity
    else if (!latency.isTrying && (wasTrying || this.#limit < before || isBack)) this.#target = this.#limit
    if (!window.reached || this.#limit !== before || latency.isTrying || isHigh) return
    if (growth !== 'slow' && !isBusy) this.#limit = Math.min(before * 2, this.#target)
    else if (latency.pressure === 'none') this.#limit = Math.max(before + 1, before * LIMIT.growth)
    this.#limit = Math.min(this.#limit, LIMIT.ceiling)
  }

  #endPause(now: number): void {
    this.#isRestart = false
    this.#restart(this.#dead > 0 ? this.#alive : this.#limit, now, false)
  }

  /** After a pause or an outage, other clients resume at the same moment, so the limit grows from the start again. */
  #restart(limit: number, now: number, isOutage: boolean): void {
    const before = Math.max(limit, this.#latency.restart(this.#limit))
    this.#target = this.#target === Infinity ? before : Math.max(before, this.#target)
    this.#limit = Math.min(before, LIMIT.start)
    if (isOutage) this.#rate.endOutage(now)
    else this.#rate.endPause(now)
    this.#limitRate()
    this.#window.open(now, true)
  }

  /** Makes time never go backwards, and notices silences. */
  #tick(at: number): number {
    const now = Math.max(at, this.#now)
    if (this.#now === -Infinity) this.#busyShare(now)
    const gap = now - this.#now
    if (gap > SECOND_MS && gap > this.#tripMs * LIMIT.silenceLatencies) {
      this.#silentUntil = now
      // what succeeded before the silence says nothing about the time after it
      this.#window.open(this.#window.openedAt, false)
    }
    this.#now = now
    return now
  }
}

/** none: the service closed an idle connection, which is normal; it is retried at once. */
type Sign = 'good' | 'refused' | 'fault' | 'none'

function signOf(outcome: Outcome): Sign {
  if (outcome.status !== 'retry') return 'good'
  if (outcome.stale === true) return 'none'
  const { cause, congestion, afterMs } = outcome
  return cause === 'throttled' || cause === 'timeout' || (congestion && afterMs !== undefined) ? 'refused' : 'fault'
}

/** Counts attempts that hang: one that began a second later has passed. They hold no permit. */
class Hanging {
  /** When those in flight began, the oldest first. */
  readonly #starts: number[] = []
  /** So many of the oldest. */
  count = 0

  begin(now: number): void {
    this.#starts.push(now)
  }

  /** An attempt has ended.
   *  @param sent when it was sent: in the turn in which it was counted, and after that, for many are sent in one turn
   *  @returns when it was counted */
  end(sent: number): number {
    // give or take what is lost in floating point
    const index = Math.max(
      0,
      this.#starts.findLastIndex((start) => start < sent + 0.01),
    )
    const [started = sent] = this.#starts.splice(index, 1)
    if (index < this.count) this.count--
    return started
  }

  /** An attempt that began then has passed.
   *  @returns how many are found to hang by that */
  pass(started: number): number {
    const before = this.count
    while (this.#starts[this.count]! <= started - SECOND_MS) this.count++
    return this.count - before
  }
}

/** Counts attempts that started after the last change, because earlier ones say nothing about it. So there is one decision per
 *  round trip. */
class Window {
  /** Attempts that started earlier do not count. */
  since = -Infinity
  openedAt = -Infinity
  /** Whether all permits were in use. */
  reached = false
  /** Whether any attempt succeeded while it was open, whenever that started. */
  isAlive = false
  isRefused = false
  #answers = 0
  #bad = 0

  open(now: number, isFresh: boolean): void {
    if (isFresh) this.since = now
    this.openedAt = now
    this.reached = false
    this.isAlive = false
    this.isRefused = false
    this.#answers = 0
    this.#bad = 0
  }

  count(sign: Sign): void {
    this.#answers++
    if (sign !== 'good') this.#bad++
    if (sign === 'refused') this.isRefused = true
  }

  /** @param generation how many answers make a window: about as many as there are permits */
  isOver(generation: number, now: number): boolean {
    if (this.#answers === 0 || now - this.openedAt < LIMIT.shortestMs) return false
    return this.#answers >= (this.#bad === this.#answers ? Math.min(generation, LATENCY.samplesLeast) : generation)
  }

  get isClean(): boolean {
    return !this.isRefused && this.#bad < this.#answers
  }

  /** @param isOut whether nothing has succeeded for a while */
  isDead(isOut: boolean): boolean {
    return this.#bad === this.#answers && (isOut || !this.isAlive)
  }
}
