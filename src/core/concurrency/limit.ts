// How much may be sent, found out while sending. docs/DESIGN.md#how-much-is-sent has the rules on a page; all numbers are in tuning.ts.
//
// Permits, how many attempts may be in flight, follow the latency (latency.ts). A rate, attempts a second, follows what is refused:
// 429, Retry-After, timeouts (rate.ts), and other faults only if they depend on what is sent (faults.ts). An outage or a pause says
// nothing about either, so afterwards the permits double back to what they were, within the rate.
//
// The permits change once in a window of answers, about a round trip (`#decide`); the rate with each refusal (`#cut`), and with each
// attempt that waited for it (`#endRateHold`).

import type { Outcome, Permits } from '../types.ts'
import { FaultAllowance } from './faults.ts'
import { ConcurrencyGate } from './gate.ts'
import { Latency, type Growth } from './latency.ts'
import { LearntRate, type RateRefusal } from './rate.ts'
import { LATENCY, LIMIT, SECOND_MS } from './tuning.ts'
import { signOf, Window } from './window.ts'

export interface AdaptivePermitsOptions {
  /** The most attempts per second, retries included. `undefined` when there is no limit. */
  readonly perSecond?: number | undefined
  /** Milliseconds that this process has been busy so far. `undefined` when it never is. */
  readonly busyMs?: (() => number) | undefined
}

export interface RateLearnt {
  /** Attempts a second. Infinity when none was learnt; then nothing else is given. */
  readonly perSecond: number
  /** The last refusal in words, and whether it may have been chance: a plain fault. */
  readonly cause?: string | undefined
  readonly isSuspected?: boolean | undefined
  /** Milliseconds by the caller's clock: when the rate was learnt. */
  readonly since?: number
}

/** The refusal that attempts that hang are taken for. */
const HANGS = { cause: 'requests that hang', isSuspected: true }

/** The reason why attempts are held back. pause: a Retry-After · outage: nothing succeeds · rate: the learnt one · permits: all are in use. */
export type HeldBy = 'pause' | 'outage' | 'rate' | 'permits'

/** Permits that need no tuning. First attempts wait while as many batches wait for a retry as there can be permits; in an outage,
 *  while any batch does. */
export class AdaptivePermits implements Permits {
  readonly #perSecond: number
  readonly #busyMs: () => number
  readonly #gate: ConcurrencyGate
  readonly #rate = new LearntRate()
  readonly #faults = new FaultAllowance()
  readonly #latency = new Latency()
  readonly #window = new Window()
  readonly #hanging = new Hanging()
  readonly #outage = new Outage()

  // how many permits: changed by #decide and #restart only
  /** Permits, with a fraction, so that small steps add up. */
  #limit = LIMIT.start
  /** Below this, a clean window doubles the limit. */
  #target = Infinity

  // what `take` did last
  #takenAt = -Infinity
  /** When the last extra attempt began: one a second may begin although no permit is free (`#freeAt`). */
  #extraAt = -Infinity
  /** When permits or rate last held an attempt back; when the rate did; whether the rate did since the last attempt. */
  #heldAt = -Infinity
  #rateHeldAt = -Infinity
  #isRateWaitedFor = false

  // what the next call has to know
  #now = -Infinity
  /** Whether a pause was asked for since `take` last began again after one. */
  #wasPaused = false
  /** Milliseconds of an attempt: a mean in which newer ones count more, Infinity before the first. */
  #tripMs = Infinity
  /** The latency of attempts that began before this is not counted. */
  #latencyFrom = -Infinity
  /** The time of the last decision, and how long the process had been busy by then: only for `#busyShare`. */
  #decidedAt = -Infinity
  #busyMsThen = 0

  constructor(options: AdaptivePermitsOptions = {}) {
    this.#perSecond = options.perSecond ?? Infinity
    this.#busyMs = options.busyMs ?? (() => 0)
    this.#gate = new ConcurrencyGate(this.#perSecond)
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

  /** The reason why attempts were held back in the last second. `undefined` when none was. */
  get heldBy(): HeldBy | undefined {
    if (this.#gate.isPaused(this.#now)) return 'pause'
    if (this.#outage.windows > 0) return 'outage'
    if (this.#now - this.#rateHeldAt < SECOND_MS) return 'rate'
    return this.#now - this.#heldAt < SECOND_MS ? 'permits' : undefined
  }

  take(kind: 'first' | 'retry', at: number): boolean {
    const now = this.#tick(at)
    const gate = this.#gate
    if (gate.isPaused(now)) return false
    if (kind === 'first' && gate.waiting >= (this.#outage.windows > 0 ? 1 : LIMIT.ceiling)) {
      this.#heldAt = now
      return false
    }
    if (this.#wasPaused) this.#restart('pause', now)
    this.#wasPaused = false
    const lacksPermit = now < this.#freeAt
    if (lacksPermit || gate.isRateLimited(now)) {
      this.#noteHold(lacksPermit, now)
      return false
    }
    if (this.#isRateWaitedFor) this.#endRateHold(now)
    if (this.#isFull) this.#extraAt = now
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
    if (this.#gate.leave(outcome, now)) this.#wasPaused = true
    if (sign === 'none') return
    if (sign === 'good') this.#pass(started, now)
    const isBeyondChance = this.#countAnswer(sign === 'fault', started, now)
    if (sign === 'refused' || isBeyondChance) this.#refuse(outcome, started, ms, now)
    const window = this.#window
    if (outcome.status === 'delivered')
      this.#tripMs = this.#tripMs === Infinity ? ms : this.#tripMs + (ms - this.#tripMs) / LATENCY.samplesTrial
    if (started < window.since) return
    window.count(sign)
    if (outcome.status === 'delivered' && started >= this.#latencyFrom) this.#latency.add(ms)
    if (window.isOver(this.#windowAnswers(), now)) this.#decide(now)
  }

  drop(): void {
    this.#gate.drop()
  }

  nextChange(at: number): number | undefined {
    const now = this.#tick(at)
    const change = Math.max(this.#gate.opensAt, this.#freeAt)
    return change > now && change !== Infinity ? change : undefined
  }

  /** How many answers make a window: as many as there are permits. While doubling, half of them are enough; on the way back, as many
   *  as make a mean, or a small limit could not be told from a stall. */
  #windowAnswers(): number {
    const growth = this.#growth
    if (growth === 'slow') return this.limit
    const half = Math.ceil(this.limit / 2)
    return growth === 'doubling' ? half : Math.max(half, LATENCY.samples / 2)
  }

  get #growth(): Growth {
    if (this.#limit >= this.#target || this.#limit >= LIMIT.ceiling) return 'slow'
    return this.#target === Infinity ? 'doubling' : 'returning'
  }

  /** How many attempts are in flight at the learnt rate, by Little's law. Chance and late timers would heap up more, and a service
   *  may count what is in flight. One more than one, for a single one leaves a gap after each answer. */
  get #mostAtRate(): number {
    const { perSecond } = this.#rate
    return perSecond === Infinity ? Infinity : Math.max(2, Math.ceil((perSecond * this.#tripMs) / 1000))
  }

  /** Attempts in flight that do not hang. */
  get #notHanging(): number {
    return this.#gate.inFlight - this.#hanging.count
  }

  get #isFull(): boolean {
    return this.#notHanging >= Math.min(this.limit, this.#mostAtRate)
  }

  /** When a permit becomes free even if no answer comes; in the past if one is free. */
  get #freeAt(): number {
    const { inFlight } = this.#gate
    if (inFlight >= LIMIT.ceiling) return Infinity
    if (this.#isFull) return this.#takenAt + SECOND_MS
    const { windows } = this.#outage
    if (windows === 0) return -Infinity
    // in an outage, attempts are probes: ever rarer, and few at once
    if (inFlight >= LIMIT.start) return Infinity
    return this.#takenAt + Math.min(SECOND_MS, LIMIT.shortestMs * 2 ** Math.min(windows, 10))
  }

  /** The service accepted a request, or refused it for its content. */
  #pass(started: number, now: number): void {
    if (this.#outage.windows > 0 && this.#outage.lacksSuccess(now)) this.#restart('outage', now)
    this.#outage.pass(now)
    const found = this.#hanging.pass(started)
    // this is the extra attempt, known by its time: all that was in its way hung until it was tried, which cost a second
    if (found > 0 && started === this.#extraAt) this.#cut({ ...HANGS, costMs: SECOND_MS }, now)
    // any other attempt: each that hung beside it is a fault among many
    else
      for (let nth = 0; nth < found; nth++)
        if (this.#countAnswer(true, started, now)) this.#cut({ ...HANGS, costMs: 0 }, now)
    if (this.#rate.pass(started, now)) this.#limitRate()
    this.#window.isAlive = true
  }

  /** The service refused an attempt, or faults are more than chance. */
  #refuse(outcome: Outcome, started: number, ms: number, now: number): void {
    if (outcome.status !== 'retry' || started < this.#rate.cutAt) return
    const { why, afterMs = 0, cause } = outcome
    const costMs = cause === 'timeout' ? ms : afterMs
    this.#cut({ cause: why?.words, isSuspected: signOf(outcome) === 'fault', costMs, isPause: afterMs > 0 }, now)
  }

  #cut(refusal: RateRefusal, now: number): void {
    this.#rate.cut(this.#notHanging, now, refusal)
    this.#limitRate()
  }

  /** Counts an answer for the share of faults that is chance. An outage says nothing about what is sent, nor does a fault while nothing
   *  was held back.
   *  @returns whether it is a fault beyond chance, and so a refusal */
  #countAnswer(isFault: boolean, started: number, now: number): boolean {
    return this.#outage.windows === 0 && this.#faults.count(isFault, now) && this.#heldAt >= started
  }

  /** Notes what holds an attempt back.
   *  @param lacksPermit whether no permit is free; otherwise the next attempt is not due yet at the rate */
  #noteHold(lacksPermit: boolean, now: number): void {
    this.#heldAt = now
    const isAtLimit = lacksPermit && this.#gate.inFlight >= this.limit
    if (isAtLimit) this.#window.reached = true
    // in an outage, the next probe is not due yet
    if (isAtLimit || (lacksPermit && this.#outage.windows > 0)) return
    // the rate: it spaces attempts, and lets no more be in flight at once (`#mostAtRate`)
    this.#isRateWaitedFor = this.#rate.perSecond <= this.#perSecond
    if (this.#isRateWaitedFor) this.#rateHeldAt = now
  }

  /** The attempt that the learnt rate held back begins: the rate grows by the time. */
  #endRateHold(now: number): void {
    this.#isRateWaitedFor = false
    this.#rate.waited(Math.min(now - this.#takenAt, SECOND_MS), now)
    this.#limitRate()
  }

  #limitRate(): void {
    this.#gate.setRate(Math.min(this.#perSecond, this.#rate.perSecond))
  }

  /** A window is over: finds the limit for the next one. */
  #decide(now: number): void {
    const window = this.#window
    const before = this.#limit
    const busy = this.#busyShare(now)
    const growth = this.#growth
    if (window.isDead(this.#outage.lacksSuccess(now))) this.#shrink()
    else if (window.isClean) this.#grow(now, busy, growth)
    // one stall delays answers of two windows, so the next window counts only what starts after this
    const isStalled = growth === 'returning' && this.#latency.pressure === 'slow'
    const isFresh = isStalled || this.#limit < before || this.#limit > before * LATENCY.steady
    // what began in this millisecond began before the limit was halved, because nothing begins while so many are in flight
    const freshFrom = this.#latency.isTrying ? now + 1 : now
    window.open(now, isFresh ? freshFrom : undefined)
    if (isFresh) this.#latency.clear()
  }

  /** The part of the time since the last decision in which the process was busy. */
  #busyShare(now: number): number {
    const busy = this.#busyMs()
    const share = (busy - this.#busyMsThen) / (now - this.#decidedAt)
    this.#busyMsThen = busy
    this.#decidedAt = now
    return share
  }

  /** Nothing succeeds: halves the limit, down to one permit, and notes where to return to. */
  #shrink(): void {
    const limit = this.#latency.restart(this.#limit)
    this.#outage.fail(limit)
    this.#target = Math.max(this.#target, limit)
    this.#limit = Math.max(1, limit / 2)
  }

  /** The window was clean: lets the latency judge, and adds permits where that sees room. */
  #grow(now: number, busy: number, growth: Growth): void {
    const window = this.#window
    const before = this.#limit
    // a small limit grows even in a busy process, because one that is merely held up now and then looks busy too
    const isBusy = before >= LIMIT.start && busy >= LIMIT.busy
    const latency = this.#latency
    const wasTrying = latency.isTrying
    this.#limit = latency.judge(before, window.reached, growth, busy >= LIMIT.busy, now)
    const isHigh = latency.pressure === 'slow' || latency.pressure === 'high'
    // on the way back, a small limit is enough already
    const isBack = growth === 'returning' && isHigh && before < LIMIT.start
    // the limit from before the trial is back: the service became slower by itself, or too little was sent to tell. Found anew
    if (wasTrying && this.#limit > before) this.#target = Infinity
    // unless half is being tried, it is known how many are enough: half, or as many as before doubling, or what it is back at
    else if (!latency.isTrying && (wasTrying || this.#limit < before || isBack)) this.#target = this.#limit
    // no growth: the limit was not used, or was just judged anew, or half is being tried, or it is enough
    if (!window.reached || this.#limit !== before || latency.isTrying || isHigh) return
    // below the target, in a process that can send more: doubles
    if (growth !== 'slow' && !isBusy) this.#limit = Math.min(before * 2, this.#target)
    // at the target or beyond, or in a busy process: grows by a few percent, where the latency sees room
    else if (latency.pressure === 'none') this.#limit = Math.max(before + 1, before * LIMIT.growth)
    this.#limit = Math.min(this.#limit, LIMIT.ceiling)
  }

  /** After a pause or an outage, other clients resume at the same moment, so the limit grows from the start again. */
  #restart(after: 'pause' | 'outage', now: number): void {
    const limit = this.#outage.windows > 0 ? this.#outage.limitBefore : this.#limit
    const before = Math.max(limit, this.#latency.restart(this.#limit))
    this.#target = this.#target === Infinity ? before : Math.max(before, this.#target)
    this.#limit = Math.min(before, LIMIT.start)
    if (after === 'outage') this.#rate.endOutage(now)
    else this.#rate.endPause(now)
    this.#limitRate()
    this.#window.open(now, now)
  }

  /** Makes time never go backwards, and notices silences. The first call begins the time of the first decision. */
  #tick(at: number): number {
    const now = Math.max(at, this.#now)
    if (this.#now === -Infinity) this.#busyShare(now)
    const gap = now - this.#now
    if (gap > SECOND_MS && gap > this.#tripMs * LIMIT.silenceLatencies) {
      this.#latencyFrom = now
      // what succeeded before the silence says nothing about the time after it
      this.#window.open(this.#window.openedAt)
    }
    this.#now = now
    return now
  }
}

/** An outage: windows in a row without any success. Its owner calls `fail` at the end of each, and `pass` with each success, which
 *  ends it. */
class Outage {
  /** How many; 0: there is no outage. */
  windows = 0
  /** The limit before the first of them. */
  limitBefore = LIMIT.start
  #passedAt = -Infinity

  fail(limit: number): void {
    if (this.windows++ === 0) this.limitBefore = limit
  }

  pass(now: number): void {
    this.windows = 0
    this.#passedAt = now
  }

  /** Whether nothing has succeeded for longer than the rest of a second that a limiter counts by. */
  lacksSuccess(now: number): boolean {
    return now - this.#passedAt > LIMIT.outageMs
  }
}

/** Finds attempts that hang: one does if another that began at least a second later has passed. It then holds no permit. */
class Hanging {
  /** When the attempts in flight began, oldest first. */
  readonly #starts: number[] = []
  /** How many hang; they are the oldest. */
  count = 0

  begin(now: number): void {
    this.#starts.push(now)
  }

  /** Forgets an attempt that has ended.
   *  @param sent when it was sent: at its `begin` or somewhat later, for many are sent in one turn
   *  @returns the time of its `begin` */
  end(sent: number): number {
    // give or take what is lost in floating point
    const found = this.#starts.findLastIndex((start) => start < sent + 0.01)
    const index = Math.max(0, found)
    const [started = sent] = this.#starts.splice(index, 1)
    if (index < this.count) this.count--
    return started
  }

  /** Notes that an attempt has passed.
   *  @param started what its `end` returned
   *  @returns how many more attempts are known to hang by that */
  pass(started: number): number {
    const before = this.count
    while (this.#starts[this.count]! <= started - SECOND_MS) this.count++
    return this.count - before
  }
}
