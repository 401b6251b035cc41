// How many attempts may be in flight to the service: found out while sending (`AdaptivePermits`), or fixed by the user
// (`FixedPermits`). Pure arithmetic on the `now` that callers pass. All its numbers are in tuning.ts.
//
// A service may be limited in two ways:
// - By concurrency: it works on so many requests at once, and more only wait there. This limit is a number of permits. It doubles
//   from a small start while every permit is in use and the answers are clean and quick, then grows by 4 % per window. It is cut
//   after congestion (429, 503, timeouts, many other faults: error-rate.ts), and halved if half is as fast (latency.ts).
// - By rate: it allows so many requests per second, however quickly it answers. A number of permits cannot express that: two of
//   them exceed 200 a second at 5 ms. So the rate that it let through becomes a limit of its own (rate.ts), and the permits stay.
// The method is TCP's slow start and AIMD (RFC 5681), with one decision per window as in Vector's adaptive concurrency. Unlike that
// it doubles (Vector takes a minute to reach 100), and it measures single attempts, never a sequence of retries.
// An outage says nothing about how much the service can take, so afterwards the limit doubles back to what it was.

import type { Outcome, Permits } from '../types.ts'
import { BaselineErrorRate, Window } from './error-rate.ts'
import { Latency } from './latency.ts'
import type { Growth } from './latency.ts'
import { LearntRate, RateLimiter } from './rate.ts'
import { LATENCY, LIMIT, PROBE } from './tuning.ts'

export interface AdaptivePermitsOptions {
  /** The most attempts per second, retries included; absent: no limit. */
  readonly perSecond?: number | undefined
  /** Milliseconds that this process has been busy so far; absent: it never is. */
  readonly busyMs?: (() => number) | undefined
}

/** Permits that need no tuning. First attempts wait while as many batches wait for a retry as there can be permits; while the
 *  service is down, while any batch does. */
export class AdaptivePermits implements Permits {
  readonly #perSecond: number
  readonly #busyMs: () => number
  readonly #gate: ConcurrencyGate
  readonly #rate = new LearntRate()
  readonly #latency = new Latency()
  readonly #baseline = new BaselineErrorRate()
  readonly #minimumProbe = new MinimumConcurrencyProbe()
  readonly #window = new Window()
  /** Permits, with a fraction, so that small steps add up. */
  #limit = LIMIT.start
  /** Below this, a clean window doubles the limit. */
  #target = Infinity
  /** The last limit that was in use and clean. */
  #good = LIMIT.start
  /** Limit and rate before bad answers led to cuts. */
  #uncut = 0
  #uncutRate = Infinity
  /** Windows in a row without any success. */
  #dead = 0
  #isRestart = false
  #pausedAt = 0
  #takenAt = -Infinity
  #passedAt = -Infinity
  #now = -Infinity
  /** The time of the last decision, and how long the process had been busy by then. */
  #decidedAt = -Infinity
  #busyUntil = 0
  /** The latency of attempts that started before this is not counted. */
  #silentUntil = -Infinity

  constructor(options: AdaptivePermitsOptions = {}) {
    this.#perSecond = options.perSecond ?? Infinity
    this.#busyMs = options.busyMs ?? neverBusy
    this.#gate = new ConcurrencyGate(new RateLimiter(this.#perSecond))
  }

  /** How many attempts may be in flight now, for messages and tests. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  take(kind: 'first' | 'retry', at: number): boolean {
    const now = this.#tick(at)
    const gate = this.#gate
    if (gate.isPaused(now)) return false
    if (kind === 'first' && gate.waiting >= (this.#dead > 0 ? 1 : LIMIT.ceiling)) return false
    if (this.#isRestart) {
      this.#restart(this.#limit, now)
      this.#rate.rested(now - this.#pausedAt)
    }
    if (now < this.#freeAt()) {
      if (gate.inFlight >= this.limit) this.#window.reached = true
      return false
    }
    if (gate.isRateLimited(now)) {
      if (this.#rate.perSecond <= this.#perSecond) this.#window.rateLimited = true
      return false
    }
    gate.enter(kind, now)
    this.#window.started++
    this.#takenAt = now
    if (gate.inFlight >= this.limit) this.#window.reached = true
    return true
  }

  /** @param ms how long this one attempt took, without waiting here, retries and pauses */
  give(outcome: Outcome, ms: number, at: number): void {
    const now = this.#tick(at)
    const isBad = outcome.status === 'retry'
    if (this.#gate.leave(outcome, now)) {
      if (!this.#isRestart) this.#pausedAt = now
      this.#isRestart = true
    }
    // the service closed an idle connection, which is normal; it is retried at once
    if (isBad && outcome.stale === true) return
    if (!isBad) this.#pass(now)
    else if (this.#baseline.isIdle) {
      this.#uncut = this.#limit
      this.#uncutRate = this.#rate.perSecond
    }
    if (this.#baseline.count(isBad, now)) this.#undo(now)
    const started = now - ms
    const window = this.#window
    if (started < window.since) return
    window.count(outcome)
    if (outcome.status === 'delivered' && started >= this.#silentUntil) this.#latency.add(ms)
    if (window.isOver(this.#generation(), this.#baseline.share(now), now)) this.#decide(now)
  }

  drop(): void {
    this.#gate.waiting--
  }

  nextChange(at: number): number | undefined {
    const now = this.#tick(at)
    const change = Math.max(this.#gate.opensAt, this.#freeAt())
    return change > now && change !== Infinity ? change : undefined
  }

  /** How many answers make a window. While doubling, half of them are enough. */
  #generation(): number {
    return this.#isDoubling() ? Math.ceil(this.limit / 2) : this.limit
  }

  #isDoubling(): boolean {
    return this.#limit < this.#target && this.#limit < LIMIT.ceiling
  }

  #growth(): Growth {
    if (!this.#isDoubling()) return 'slow'
    return this.#target === Infinity ? 'doubling' : 'returning'
  }

  /** When a permit becomes free even if no answer comes; in the past if one is free. */
  #freeAt(): number {
    const { inFlight } = this.#gate
    if (inFlight >= this.limit) return inFlight < LIMIT.start ? this.#takenAt + LIMIT.hangingMs : Infinity
    if (this.#dead === 0) return -Infinity
    if (inFlight >= LIMIT.start) return Infinity
    return this.#takenAt + Math.min(LIMIT.longestProbeMs, LIMIT.firstProbeMs * 2 ** Math.min(this.#dead, 10))
  }

  #decide(now: number): void {
    const window = this.#window
    const before = this.#limit
    const rate = this.#rate.perSecond
    const busy = this.#busyShare(now)
    const growth = this.#growth()
    const verdict = window.verdict(this.#baseline.share(now), this.#isOut())
    if ((verdict === 'dead' || verdict === 'congested') && window.shed > 0)
      this.#rate.cut(window.shed, this.#gate.inFlight, now)
    if (verdict === 'dead') this.#die()
    else if (verdict === 'congested') this.#yield(now)
    else if (verdict === 'clean') this.#grow(now, busy, growth)
    if (this.#rate.perSecond !== rate) this.#gate.limiter.set(Math.min(this.#perSecond, this.#rate.perSecond))
    // one stall delays answers of two windows, so the next window counts only what starts after this
    const isStalled = growth === 'returning' && this.#latency.pressure === 'slow'
    const isFresh =
      isStalled || this.#limit < before || this.#limit > before * LATENCY.steady || this.#rate.perSecond < rate
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

  /** The service accepted a request, or refused it for its content. */
  #pass(now: number): void {
    this.#rate.pass(now)
    if (this.#dead > 0 && this.#isOut()) this.#restart(this.#good, now)
    this.#dead = 0
    this.#passedAt = now
    this.#window.isAlive = true
  }

  #isOut(): boolean {
    return this.#now - this.#passedAt > LIMIT.outageMs
  }

  /** Takes back cuts that did not help. */
  #undo(now: number): void {
    this.#limit = Math.max(this.#latency.restart(this.#limit), this.#uncut)
    this.#rate.restore(this.#uncutRate)
    this.#gate.limiter.set(Math.min(this.#perSecond, this.#rate.perSecond))
    this.#window.open(now, true)
  }

  /** Nothing succeeds: goes down to one permit, and notes what was good for when the outage is over. */
  #die(): void {
    this.#dead++
    this.#minimumProbe.restart()
    this.#target = Math.max(this.#target, this.#good)
    this.#limit = Math.max(1, this.#latency.restart(this.#limit) * LIMIT.firstCut)
    if (this.#isOut()) this.#rate.doubt()
  }

  #yield(now: number): void {
    this.#baseline.refute(now)
    this.#minimumProbe.restart()
    // if attempts wait for the rate, fewer permits would change nothing now, and slow us down later
    if (this.#window.rateLimited) return
    const isDoubling = this.#isDoubling()
    const limit = this.#latency.restart(this.#limit)
    this.#limit = Math.max(1, limit * (isDoubling ? LIMIT.firstCut : LIMIT.laterCut))
    // from now on the learnt rate prevents refusals, and more permits may be possible
    if (!isDoubling || this.#window.shed === 0) this.#target = this.#limit
  }

  #grow(now: number, busy: number, growth: Growth): void {
    const window = this.#window
    const before = this.#limit
    // a small limit grows even in a busy process, because one that is merely held up now and then looks busy too
    const held = before >= LIMIT.start ? busy : 0
    // if both permits and rate limit us, permits grow first, unless they are at the ceiling
    if (window.rateLimited && (!window.reached || before === LIMIT.ceiling)) this.#rate.grow(now - window.openedAt)
    const latency = this.#latency
    this.#limit = latency.judge(before, window.reached, growth, busy >= LIMIT.busy, now)
    if (this.#limit !== before) this.#target = this.#limit
    if (!window.reached || this.#limit !== before || latency.isTrying || latency.pressure === 'slow') return
    this.#good = before
    const few = this.#minimumProbe.judge(before, busy, latency.mean, now)
    if (few !== undefined) this.#limit = few
    else if (held >= PROBE.fullyBusy || latency.pressure === 'high') return
    else if (growth !== 'slow' && held < LIMIT.busy) this.#limit = Math.min(before * 2, this.#target)
    else if (latency.pressure === 'none') this.#limit = Math.max(before + 1, before * LIMIT.growth)
    this.#limit = Math.min(this.#limit, LIMIT.ceiling)
  }

  /** After a pause or an outage, other clients resume at the same moment, so the limit grows from the start again. */
  #restart(limit: number, now: number): void {
    this.#isRestart = false
    // the refusals that asked for the pause count, even if there were few answers
    if (this.#window.shed > 0) this.#decide(now)
    this.#target = Math.max(this.#limit, this.#target === Infinity ? this.#good : this.#target)
    this.#limit = Math.min(limit, LIMIT.start)
    this.#latency.restart(limit)
    this.#window.open(now, true)
  }

  /** Makes time never go backwards, and notices silences. */
  #tick(at: number): number {
    const now = Math.max(at, this.#now)
    if (this.#now === -Infinity) this.#busyShare(now)
    const gap = now - this.#now
    if (gap > LIMIT.silenceMs && gap > this.#latency.mean * LIMIT.silenceLatencies) {
      this.#silentUntil = now
      // what succeeded before the silence says nothing about the time after it
      this.#window.open(this.#window.openedAt, false)
    }
    this.#now = now
    return now
  }
}

const neverBusy = (): number => 0

/** What both kinds of permits share: attempts in flight, batches that wait for a retry, the rate limiter, and pauses. A Retry-After
 *  of any attempt holds all attempts until it is over (RFC 9110, 10.2.3). */
export class ConcurrencyGate {
  readonly limiter: RateLimiter
  /** Attempts that hold a permit. */
  inFlight = 0
  /** Batches that wait for a retry. They hold no permit. */
  waiting = 0
  #pausedUntil = -Infinity

  constructor(limiter: RateLimiter) {
    this.limiter = limiter
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  isRateLimited(now: number): boolean {
    return now < this.limiter.at
  }

  enter(kind: 'first' | 'retry', now: number): void {
    // halves of a split batch come as retries too, but were not counted
    if (kind === 'retry' && this.waiting > 0) this.waiting--
    this.inFlight++
    this.limiter.spend(now)
  }

  /** @returns whether the service asked for a pause of all requests */
  leave(outcome: Outcome, now: number): boolean {
    this.inFlight--
    if (outcome.status !== 'retry') return false
    this.waiting++
    // without congestion, the Retry-After concerns this batch only (retry.ts honours it)
    if (outcome.afterMs === undefined || !outcome.congestion) return false
    this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)
    return true
  }

  /** When the pause is over and the rate allows an attempt; in the past if that is now. */
  get opensAt(): number {
    return Math.max(this.#pausedUntil, this.limiter.at)
  }
}

export interface FixedPermitsOptions {
  /** The most attempts in flight. */
  readonly limit: number
  /** The most attempts per second, retries included; absent: no limit. */
  readonly perSecond?: number | undefined
}

/** A fixed number of permits. A Retry-After of any attempt holds all attempts until it is over. First attempts wait while as many
 *  batches wait for a retry as there are permits. */
export class FixedPermits implements Permits {
  readonly #limit: number
  readonly #gate: ConcurrencyGate

  constructor(options: FixedPermitsOptions) {
    this.#limit = options.limit
    this.#gate = new ConcurrencyGate(new RateLimiter(options.perSecond ?? Infinity))
  }

  get limit(): number {
    return this.#limit
  }

  take(kind: 'first' | 'retry', now: number): boolean {
    const gate = this.#gate
    if (gate.isPaused(now) || gate.isRateLimited(now) || gate.inFlight >= this.#limit) return false
    if (kind === 'first' && gate.waiting >= this.#limit) return false
    gate.enter(kind, now)
    return true
  }

  give(outcome: Outcome, _ms: number, now: number): void {
    this.#gate.leave(outcome, now)
  }

  drop(): void {
    this.#gate.waiting--
  }

  nextChange(now: number): number | undefined {
    const at = this.#gate.opensAt
    return at > now ? at : undefined
  }
}

/** Finds out whether a process that is always busy would be as busy with a handful of permits. Then more of them only push data out
 *  of the processor's cache (bench small-long). This must be tried, because a queue in this process looks like a slow service. */
export class MinimumConcurrencyProbe {
  /** The limit to return to if the handful is not enough; 0 if it is not being tried. */
  #before = 0
  #isEnough = false
  #nextAt = -Infinity

  /** Call this after a clean window whose permits were all in use.
   *  @param busy the part of the window in which the process was busy
   *  @param meanMs the mean latency
   *  @returns the next limit; undefined: this has no say in it */
  judge(limit: number, busy: number, meanMs: number, now: number): number | undefined {
    if (this.#before > 0) return this.#end(limit, busy, now)
    if (this.#isEnough) return this.#keep(limit, busy, now)
    if (busy < PROBE.fullyBusy || meanMs > PROBE.quickMs || limit <= PROBE.permits || now < this.#nextAt)
      return undefined
    this.#before = limit
    return PROBE.permits
  }

  /** Something else has changed the limit. */
  restart(): void {
    this.#before = 0
    this.#isEnough = false
  }

  #end(limit: number, busy: number, now: number): number {
    const before = this.#before
    this.#before = 0
    this.#isEnough = busy >= PROBE.stillBusy
    this.#nextAt = now + PROBE.everyMs
    return this.#isEnough ? limit : before
  }

  #keep(limit: number, busy: number, now: number): number | undefined {
    if (busy < PROBE.slack) {
      this.#isEnough = false
      this.#nextAt = now + PROBE.everyMs
      return undefined
    }
    if (busy >= PROBE.ample) return Math.max(Math.min(limit, PROBE.permits), limit * PROBE.fewer)
    return busy >= PROBE.enough ? limit : limit + 1
  }
}
