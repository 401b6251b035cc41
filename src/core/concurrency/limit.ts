// How much may be sent, found out while sending. docs/DESIGN.md#how-much-is-sent has the rules on a page; all numbers are in tuning.ts.
//
// Permits, how many attempts may be in flight (`#limit`), follow the latency (latency.ts). A rate, attempts a second, follows what is
// refused: 429, Retry-After, timeouts (rate.ts), and other faults only if they depend on what is sent (faults.ts). An outage (nothing
// succeeds) or a pause (a Retry-After) says nothing about either, so afterwards the permits double back to what they were, within the rate.
//
// The permits change once in a window of answers, about a round trip (`#decide`); the rate with each refusal (`#refuse`), and with each
// attempt that waited for it. Times are milliseconds of the caller's clock.

import type { Outcome, Permits } from '../types.ts'
import { FaultAllowance } from './faults.ts'
import { FixedPermits } from './fixed-permits.ts'
import { Latency, type Growth } from './latency.ts'
import { LearntRate } from './rate.ts'
import { LATENCY, LIMIT, SECOND_MS } from './tuning.ts'

export interface RateLearnt {
  /** Attempts a second. Infinity when none was learnt; then nothing else is given. */
  readonly perSecond: number
  /** The last refusal in words, and whether it may have been chance: a plain fault. */
  readonly cause?: string | undefined
  readonly isSuspected?: boolean | undefined
  /** When the rate was learnt. */
  readonly since?: number
}

/** The refusal that is noted when attempts hang: no answer comes although attempts that began later pass. */
const HANGS = { cause: 'requests that hang', isSuspected: true }

/** Why attempts are held back. pause: a Retry-After · outage: nothing succeeds · rate: the learnt one · permits: all are in use. */
export type HeldBy = 'pause' | 'outage' | 'rate' | 'permits'

/** Permits that need no tuning: limit and rate follow the answers. */
export class AdaptivePermits implements Permits {
  readonly #perSecond: number
  readonly #busyMs: () => number
  /** Holds the pauses, the user's rate and the count in flight; its limit is only the ceiling. */
  readonly #gate: FixedPermits
  readonly #rate = new LearntRate()
  readonly #faults = new FaultAllowance()
  readonly #latency = new Latency()
  readonly #window = new Window()
  readonly #hanging = new Hanging()

  // how many permits: changed by #decide and #restart only
  /** Permits, with a fraction, so that small steps add up. */
  #limit = LIMIT.start
  /** The number of permits that is known to be enough; Infinity when none is. Below it, a clean window doubles the limit. */
  #target = Infinity
  /** The limit before an outage. */
  #limitBefore = LIMIT.start

  /** When the last attempt began. */
  #takenAt = -Infinity
  /** When the last extra attempt began: one a second may begin although no permit is free (`#freeAt`). */
  #extraAt = -Infinity
  /** When permits, waiting retries or a rate last held an attempt back, and when the learnt rate did. */
  #heldAt = -Infinity
  #rateHeldAt = -Infinity

  /** The latest time that a caller gave. */
  #now = -Infinity
  /** Whether a pause was asked for, until `take` begins again after it. */
  #wasPaused = false
  /** How long an attempt takes: a mean in which newer ones count more, Infinity before the first. */
  #tripMs = Infinity
  /** The latency of attempts that began before this is not counted. */
  #latencyFrom = -Infinity
  /** The time of the last decision, and how long the process had been busy by then: only for `#busyShare`. */
  #decidedAt = -Infinity
  #busyMsThen = 0

  /** @param perSecond the most attempts per second, retries included
   *  @param busyMs milliseconds that this process has been busy so far */
  constructor({
    perSecond = Infinity,
    busyMs = () => 0,
  }: { perSecond?: number | undefined; busyMs?: () => number } = {}) {
    this.#perSecond = perSecond
    this.#busyMs = busyMs
    this.#gate = new FixedPermits({ limit: LIMIT.ceiling, perSecond }, () => this.#rate.perSecond)
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
    if (this.#window.outage > 0) return 'outage'
    if (this.#now - this.#rateHeldAt < SECOND_MS) return 'rate'
    return this.#now - this.#heldAt < SECOND_MS ? 'permits' : undefined
  }

  take(kind: 'first' | 'retry', at: number): boolean {
    const now = this.#tick(at)
    const gate = this.#gate
    if (gate.isPaused(now)) return false
    // first attempts wait while as many batches wait for a retry as there can be permits; in an outage, while any batch does
    const mostWaiting = this.#window.outage > 0 ? 1 : LIMIT.ceiling
    if (kind === 'first' && gate.waiting >= mostWaiting) {
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
    const wasHeldByRate = this.#rateHeldAt >= this.#takenAt
    // the rate grows by the time for which attempts waited for it
    if (wasHeldByRate) this.#rate.waited(Math.min(now - this.#takenAt, SECOND_MS), now)
    if (this.#isFull) this.#extraAt = now
    gate.take(kind, now)
    this.#hanging.begin(now)
    this.#takenAt = now
    if (gate.inFlight >= this.limit) this.#window.isReached = true
    return true
  }

  /** @param ms how long this one attempt took, without the wait for a permit, retries and pauses */
  give(outcome: Outcome, ms: number, at: number): void {
    const now = this.#tick(at)
    const sign = signOf(outcome)
    const started = this.#hanging.end(now - ms)
    if (this.#gate.give(outcome, ms, now)) this.#wasPaused = true
    if (sign === 'none') return
    if (sign === 'good') this.#pass(started, now)
    const isBeyondChance = this.#countAnswer(sign === 'fault', started, now)
    if (sign === 'refused' || isBeyondChance) this.#refuse(outcome, started, ms, now)
    const window = this.#window
    if (outcome.status === 'delivered')
      this.#tripMs = this.#tripMs === Infinity ? ms : this.#tripMs + (ms - this.#tripMs) / LATENCY.samplesTrial
    // an attempt from before the window says nothing about the last change
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

  /** How many answers make a window: as many as there are permits. While doubling, half of them are enough; on the way back, at least as
   *  many as make a mean, because with fewer a stall would look like too much. */
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

  /** The most attempts that are let in flight under the learnt rate: as many as it makes by Little's law. Chance and late timers would heap
   *  up more, and a service may count what is in flight. At least two, because a single one leaves a gap after each answer. */
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

  /** When the next attempt may begin, as far as permits decide, even if no answer comes; in the past if that is now. */
  get #freeAt(): number {
    const { inFlight } = this.#gate
    if (inFlight >= LIMIT.ceiling) return Infinity
    // an extra attempt: if it passes, those before it hang
    if (this.#isFull) return this.#takenAt + SECOND_MS
    const { outage } = this.#window
    if (outage === 0) return -Infinity
    // in an outage, attempts only probe whether the service is back: ever more rarely, and few at once
    if (inFlight >= LIMIT.start) return Infinity
    return this.#takenAt + Math.min(SECOND_MS, LIMIT.shortestMs * 2 ** Math.min(outage, 10))
  }

  /** Notes that the service accepted a request, or refused it for its content. */
  #pass(started: number, now: number): void {
    if (this.#window.outage > 0 && this.#window.lacksSuccess(now)) this.#restart('outage', now)
    this.#window.pass(now)
    const foundHanging = this.#hanging.pass(started)
    // the extra attempt is known by its time, as no other began then or in the second before; all that was in flight before it hangs
    const isExtra = started === this.#extraAt
    if (isExtra && foundHanging > 0) this.#rate.cut(this.#notHanging, now, { ...HANGS, costMs: SECOND_MS })
    // if another attempt passed, each that hangs is a fault, which may be chance
    else
      for (let nth = 0; nth < foundHanging; nth++)
        if (this.#countAnswer(true, started, now)) this.#rate.cut(this.#notHanging, now, { ...HANGS, costMs: 0 })
    this.#rate.pass(started, now)
  }

  /** Lowers the rate for a refusal, or for a fault beyond chance, which is taken for one. */
  #refuse(outcome: Outcome, started: number, ms: number, now: number): void {
    if (outcome.status !== 'retry' || started < this.#rate.cutAt) return
    const { why, afterMs = 0, cause } = outcome
    const isSuspected = signOf(outcome) === 'fault'
    const costMs = cause === 'timeout' ? ms : afterMs
    this.#rate.cut(this.#notHanging, now, { cause: why?.words, isSuspected, costMs, isPause: afterMs > 0 })
  }

  /** Counts an answer for the share of faults that is chance, but not in an outage, which says nothing about what is sent. A fault is no
   *  refusal if nothing was held back since its attempt began, because then less was sent than is allowed.
   *  @returns whether it is a fault beyond chance, and so a refusal */
  #countAnswer(isFault: boolean, started: number, now: number): boolean {
    return this.#window.outage === 0 && this.#faults.count(isFault, now) && this.#heldAt >= started
  }

  /** Notes what holds an attempt back.
   *  @param lacksPermit whether no permit is free; otherwise the next attempt is not due yet at the rate */
  #noteHold(lacksPermit: boolean, now: number): void {
    this.#heldAt = now
    const isAtLimit = lacksPermit && this.#gate.inFlight >= this.limit
    if (isAtLimit) this.#window.isReached = true
    // permits hold it back: all are in use, or the next probe of an outage is not due yet
    if (isAtLimit || (lacksPermit && this.#window.outage > 0)) return
    // a rate holds it back, by spacing attempts or by `#mostAtRate`: the learnt one, or the user's where that is lower
    const isLearntRate = this.#rate.perSecond <= this.#perSecond
    if (isLearntRate) this.#rateHeldAt = now
  }

  /** Finds the limit for the next window, as one is over. */
  #decide(now: number): void {
    const window = this.#window
    const before = this.#limit
    const busy = this.#busyShare(now)
    const growth = this.#growth
    if (window.isDead(now)) this.#shrink()
    else if (window.isClean) this.#grow(now, busy, growth)
    const isChanged = this.#limit < before || this.#limit > before * LATENCY.steady
    // a stall delays the answers of two windows, so those that are under way after a slow one are not counted
    const isStalled = growth === 'returning' && this.#latency.pressure === 'slow'
    if (!isChanged && !isStalled) return window.open(now)
    // the next window counts only attempts that begin from now on. If half the limit is tried now, none begins until fewer are in flight,
    // so those that began in this very millisecond did so before the limit was halved, and are not counted either
    window.open(now, this.#latency.isTrying ? now + 1 : now)
    this.#latency.clear()
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
    const unhalved = this.#latency.endTrial(this.#limit)
    if (this.#window.outage++ === 0) this.#limitBefore = unhalved
    this.#target = Math.max(this.#target, unhalved)
    this.#limit = Math.max(1, unhalved / 2)
  }

  /** The window was clean: lets the latency judge, and adds permits where that sees room. */
  #grow(now: number, busy: number, growth: Growth): void {
    const window = this.#window
    const before = this.#limit
    // a small limit grows even in a busy process, because one that is merely held up now and then looks busy too
    const isBusy = before >= LIMIT.start && busy >= LIMIT.busy
    const latency = this.#latency
    const wasTrying = latency.isTrying
    const judged = (this.#limit = latency.judge(before, window.isReached, growth, busy >= LIMIT.busy, now))
    const isHigh = latency.pressure === 'slow' || latency.pressure === 'high'
    // on the way back, a limit this small is enough if answers already wait too long
    const isBack = growth === 'returning' && isHigh && before < LIMIT.start
    // the limit from before the trial is back, as the service is slower by itself or too little was sent to tell: enough is unknown again
    if (wasTrying && judged > before) this.#target = Infinity
    // the half that was tried is enough, or the half of a limit that was slow, or what it is back at
    else if (!latency.isTrying && (wasTrying || judged < before || isBack)) this.#target = judged
    // no growth if the limit was not used, or was just changed, or half is being tried, or the limit is enough
    if (!window.isReached || judged !== before || latency.isTrying || isHigh) return
    // below the target, in a process that can send more: doubles
    if (growth !== 'slow' && !isBusy) this.#limit = Math.min(before * 2, this.#target)
    // at the target or beyond, or in a busy process: grows by a few percent where the latency sees room
    else if (latency.pressure === 'none') this.#limit = Math.max(before + 1, before * LIMIT.growth)
    this.#limit = Math.min(this.#limit, LIMIT.ceiling)
  }

  /** Begins again after a pause or an outage. Other clients resume at the same moment, so the limit doubles from the start again. */
  #restart(after: 'pause' | 'outage', now: number): void {
    const limitBefore = this.#window.outage > 0 ? this.#limitBefore : this.#limit
    const enough = Math.max(limitBefore, this.#latency.endTrial(this.#limit))
    this.#target = this.#target === Infinity ? enough : Math.max(enough, this.#target)
    this.#limit = Math.min(enough, LIMIT.start)
    if (after === 'outage') this.#rate.endOutage(now)
    else this.#rate.endPause(now)
    this.#window.open(now, now)
  }

  /** Takes a caller's time, but never lets it go backwards, and notices silences: long times without a call, in which the process or the
   *  service stood still. The first call also begins `#busyShare`. */
  #tick(at: number): number {
    const now = Math.max(at, this.#now)
    if (this.#now === -Infinity) this.#busyShare(now)
    const gap = now - this.#now
    if (gap > SECOND_MS && gap > this.#tripMs * LIMIT.silenceLatencies) {
      this.#latencyFrom = now
      // what succeeded before the silence says nothing about the time after it
      this.#window.clear()
    }
    this.#now = now
    return now
  }
}

/** Finds attempts that hang: one does if another that began at least a second later has passed. It then holds no permit. */
class Hanging {
  /** When the attempts in flight began, oldest first. */
  readonly #starts: number[] = []
  /** How many of these hang: the oldest. */
  count = 0

  begin(now: number): void {
    this.#starts.push(now)
  }

  /** Forgets an attempt that has ended.
   *  @param sent when it was sent: at its `begin` or a little later, as the engine begins many attempts in one turn
   *  @returns the time of its `begin` */
  end(sent: number): number {
    // 0.01 ms make up for what rounding loses
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
    while ((this.#starts[this.count] ?? Infinity) <= started - SECOND_MS) this.count++
    return this.count - before
  }
}

/** The meaning of an answer for the load. `good`: the service works · `refused`: too much is sent · `fault`: either it is in trouble or too
 *  much is sent · `none`: it says nothing, for only an idle connection was closed, and the batch is sent again at once. */
type Sign = 'good' | 'refused' | 'fault' | 'none'

function signOf(outcome: Outcome): Sign {
  if (outcome.status !== 'retry') return 'good'
  if (outcome.stale === true) return 'none'
  const { cause, congestion, afterMs } = outcome
  return cause === 'throttled' || cause === 'timeout' || (congestion && afterMs !== undefined) ? 'refused' : 'fault'
}

/** One window after another: what the answers of about one round trip say, between two decisions about the permits. Its owner counts only
 *  those of attempts that began at `since` or later, because earlier ones say nothing about the last change. */
class Window {
  /** When an attempt must have begun to be counted. */
  since = -Infinity
  openedAt = -Infinity
  /** Whether all permits were in use. Set by its owner. */
  isReached = false
  /** How many windows in a row before this one had no success; 0 when there is no outage. Counted up by its owner. */
  outage = 0
  /** When an attempt last succeeded, and whether any did in this window, even one that began before `since`. */
  #passedAt = -Infinity
  #isAlive = false
  #isRefused = false
  #answers = 0
  #bad = 0

  /** @param since when an attempt must have begun to be counted; if not given, as in the last window */
  open(now: number, since = this.since): void {
    this.since = since
    this.openedAt = now
    this.clear()
  }

  /** Forgets the answers so far. */
  clear(): void {
    this.isReached = this.#isAlive = this.#isRefused = false
    this.#answers = this.#bad = 0
  }

  /** Notes that an attempt succeeded, which ends an outage. */
  pass(now: number): void {
    this.outage = 0
    this.#passedAt = now
    this.#isAlive = true
  }

  count(sign: Sign): void {
    this.#answers++
    if (sign !== 'good') this.#bad++
    if (sign === 'refused') this.#isRefused = true
  }

  /** @param windowAnswers how many answers make a window: about as many as there are permits; fewer are enough where all are bad */
  isOver(windowAnswers: number, now: number): boolean {
    if (this.#answers === 0 || now - this.openedAt < LIMIT.shortestMs) return false
    const fewest = this.#bad === this.#answers ? Math.min(windowAnswers, LATENCY.samples / 4) : windowAnswers
    return this.#answers >= fewest
  }

  /** Whether an attempt was good, and none was refused. */
  get isClean(): boolean {
    return !this.#isRefused && this.#bad < this.#answers
  }

  /** Whether all counted answers were bad, and no other attempt has succeeded meanwhile, or not lately. */
  isDead(now: number): boolean {
    return this.#bad === this.#answers && (this.lacksSuccess(now) || !this.#isAlive)
  }

  /** Whether nothing has succeeded for longer than the rest of a second that a limiter counts by. */
  lacksSuccess(now: number): boolean {
    return now - this.#passedAt > LIMIT.outageMs
  }
}
