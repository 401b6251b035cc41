// Finds out whether answers take longer because we send too much: whether mean latencies of successes are above the base, a mean (so jitter
// and the mix of sizes are in both) with no wait behind others of ours. That alone proves nothing, because the service may be slower or the
// requests larger. So half the limit (of attempts in flight) is tried. By Little's law, the rate is limit / latency. If the rate stays, the
// other half only queued, and the half is kept. If it falls, the latency is the service's own: the limit is restored, and the latency with
// the half becomes the base. All numbers are in tuning.ts. See decisions.md#the-limit-follows-what-the-service-takes.

import { DOUBTED_MS, LATENCY } from './tuning.ts'

/** A judgement of what is sent: `unknown` if there are too few answers, or half the limit is being tried; `none` if more can be sent;
 *  `high` if it is enough; `slow` if it is probably too much. */
export type Pressure = 'unknown' | 'none' | 'high' | 'slow'

/** How the limit grows. `doubling`: towards a limit that was not used before · `returning`: doubling to a limit that was good before
 *  an outage or a pause · `slow`: by a few percent. */
export type Growth = 'doubling' | 'returning' | 'slow'

/** The limit before half of it was tried, and the mean latency then, with its standard error. */
interface Trial {
  readonly limit: number
  readonly mean: number
  readonly error: number
}

/** Judges a limit by the latency under it. Its caller adds the latency of each success, and at the end of each window asks `judge` for
 *  the next limit. Latencies are milliseconds from the start of an attempt to its answer. */
export class Latency {
  /** The judgement of the last mean. */
  pressure: Pressure = 'unknown'
  /** Number of latencies since the last `clear`, their sum, and that of their squares. */
  #count = 0
  #sum = 0
  #squares = 0
  /** The last mean, and its standard error. */
  #mean = 0
  #error = 0
  /** The mean before the last one, and the limit that it was seen at. */
  #lastMean = 0
  #lastLimit = 0
  /** The base latency, and the limit at which it was seen; both Infinity before the first mean. */
  #base = Infinity
  #baseLimit = Infinity
  /** When it was last proven that the base latency holds no queueing of ours; -Infinity when never. */
  #provenAt = -Infinity
  /** Whether the last mean that `judge` trusted, at a limit in use, was slow. */
  #wasSlow = false
  /** Since when no mean has shown room for more; Infinity when no mean was judged since the last trial began. */
  #highSince = Infinity
  #trial: Trial | undefined

  /** Whether half the limit is being tried, so that the caller must leave the limit as it is. */
  get isTrying(): boolean {
    return this.#trial !== undefined
  }

  add(ms: number): void {
    this.#sum += ms
    this.#squares += ms * ms
    this.#count++
  }

  /** Forgets all latencies. To be called when the limit changed. */
  clear(): void {
    this.#sum = 0
    this.#squares = 0
    this.#count = 0
  }

  /** Ends the trial without a result, if there is one, and forgets all latencies. To be called before something else changes the limit.
   *  @returns the limit to start from: the one before the trial, or the same */
  endTrial(limit: number): number {
    const before = this.#trial?.limit ?? limit
    this.clear()
    this.#wasSlow = false
    this.#trial = undefined
    return before
  }

  /** Finds the next limit, and sets `pressure`.
   *  @param isReached whether the limit was in use; if not, it cannot be what makes answers slow
   *  @param isBusy whether this process is busy; if so, it may be what makes them slow
   *  @returns the next limit: the same, half of it, or the one before half of it was tried */
  judge(limit: number, isReached: boolean, growth: Growth, isBusy: boolean, now: number): number {
    this.pressure = 'unknown'
    const isDoubling = growth !== 'slow'
    const samples = isDoubling ? LATENCY.samples / 2 : LATENCY.samples
    // half the limit is enough, because some answers of a window may be bad; where the limit is small, a few must do
    const fewest = Math.min(samples, Math.max(limit / 2, Math.min(2 * limit, LATENCY.samples / 4)))
    if (this.#count < fewest) return limit
    const mean = (this.#mean = this.#sum / this.#count)
    this.#error = Math.sqrt(Math.max(0, this.#squares / this.#count - mean * mean) / this.#count)
    if (this.#trial) return this.#conclude(this.#trial, limit, isReached, now)
    const isTrusted = this.#count >= samples
    const isSteady = limit <= this.#lastLimit * LATENCY.steady && mean <= this.#lastMean * LATENCY.steady
    if (isTrusted) this.#learn(limit, isSteady, now)
    const pressure = (this.pressure = this.#compare(limit, { isDoubling: isDoubling && !isBusy }))
    if (!isTrusted || !isReached) return limit
    const isSlow = pressure === 'slow'
    // a single slow mean may be chance, or a garbage collection
    const isSlowTwice = isSlow && this.#wasSlow
    this.#wasSlow = isSlow
    // no trial is needed after doubling, which was one: where twice as much is slow, half of that is the limit from before
    if (growth === 'doubling' ? isSlow : isDoubling && isSlowTwice) return limit / 2
    this.#highSince = pressure === 'none' ? now : Math.min(this.#highSince, now)
    const isHighForLong = now - this.#highSince >= LATENCY.highMs
    // so short a latency is not worth a trial: after some time it is taken for the service's own
    if (isHighForLong && mean <= LATENCY.allowedMs) this.#accept(limit, now)
    const isTrialDue = !isBusy && (this.#isUnproven(now) || isHighForLong) && (!isDoubling || pressure !== 'none')
    return isSteady && (isTrialDue || isSlowTwice) ? this.#tryHalf(limit) : limit
  }

  /** Takes the last mean into account for the base latency. */
  #learn(limit: number, isSteady: boolean, now: number): void {
    const mean = this.#mean
    this.clear()
    this.#lastMean = mean
    this.#lastLimit = limit
    // the base latency holds no queueing of ours if it is the same with more in flight; once that is known, seeing it again proves it again
    const isProven = this.#provenAt > -Infinity || (isSteady && limit >= this.#baseLimit * LATENCY.provenAtMultiple)
    if (isProven && mean <= this.#base * LATENCY.seenWithin) this.#provenAt = now
    // the doubt is added because with jitter the least of many means would be far below the usual one
    const base = mean + this.#error * LATENCY.doubt
    // an attempt that is alone (limit < 2) waits for none of ours, so its latency is always the base
    if (base >= this.#base && limit >= 2) return
    this.#base = base
    this.#baseLimit = limit
  }

  /** Judges the last mean by how much it is above the base latency. */
  #compare(limit: number, { isDoubling }: { isDoubling: boolean }): Pressure {
    const extraMs = this.#mean - this.#base
    const surelyExtraMs = extraMs - this.#error * LATENCY.doubt
    const allowedMs = this.#base * LATENCY.allowed + LATENCY.allowedMs
    const hasRoom = isDoubling
      ? surelyExtraMs <= Math.max(this.#base * LATENCY.allowed, LATENCY.allowedDoublingMs)
      : // one more attempt in flight would make a queue longer by its share, which must fit too
        extraMs <= allowedMs && extraMs + this.#mean / limit <= 2 * allowedMs
    if (hasRoom) return 'none'
    return surelyExtraMs <= 2 * allowedMs ? 'high' : 'slow'
  }

  /** Whether it was last proven too long ago that the base latency holds no queueing of ours. */
  #isUnproven(now: number): boolean {
    return now - this.#provenAt >= DOUBTED_MS
  }

  /** Begins a trial of half the limit, but not if the latency is within `allowedMs`, which does no harm, and may come from this process.
   *  @returns the next limit */
  #tryHalf(limit: number): number {
    if (limit < 2 || this.#mean <= LATENCY.allowedMs) return limit
    this.pressure = 'unknown'
    this.#wasSlow = false
    this.#highSince = Infinity
    this.#trial = { limit, mean: this.#mean, error: this.#error }
    return Math.floor(limit / 2)
  }

  /** Ends the trial, if there are answers enough.
   *  @param limit the half that is tried @returns the next limit */
  #conclude(trial: Trial, limit: number, isReached: boolean, now: number): number {
    // too little was sent to show anything
    if (!isReached) return this.endTrial(limit)
    const share = limit / trial.limit
    // the longest mean with which the share `rateKept` of the rate stays
    const longest = (trial.mean * share) / LATENCY.rateKept
    const isSlower = this.#mean > longest
    const doubt = LATENCY.doubt * Math.hypot(this.#error, trial.error * share)
    const isSure = Math.abs(this.#mean - longest) > doubt
    // quick answers come first, so a short mean needs more of them; and so does one that may be chance
    const fewest = isSlower ? LATENCY.samples / 2 : Math.max(LATENCY.samples / 2, 2 * limit)
    if (this.#count < fewest || (!isSure && this.#count < Math.max(LATENCY.samplesTrial, fewest))) return limit
    this.clear()
    this.#trial = undefined
    if (isSlower) {
      this.#accept(limit, now)
      return trial.limit
    }
    const isSeenAgain = this.#provenAt > -Infinity && this.#mean <= this.#base * LATENCY.seenWithin
    if (isSeenAgain || limit < 2) this.#provenAt = now
    this.#base = Math.min(this.#base, this.#mean)
    this.#baseLimit = limit
    this.pressure = this.#compare(limit, { isDoubling: false })
    return this.#isUnproven(now) || this.pressure === 'slow' ? this.#tryHalf(limit) : limit
  }

  /** Takes the last mean for the base latency, as the service's own. */
  #accept(limit: number, now: number): void {
    this.#base = this.#mean
    this.#baseLimit = limit
    this.#provenAt = now
  }
}
