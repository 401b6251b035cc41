// Whether answers take longer because we send too much. Compares means of successes only, so that jitter and a mix of large
// and small requests are in both. A cut is an experiment: by Little's law it shortens the wait only if the queue is ours;
// if it does not, the service itself is slower, or the requests are larger, and the cut is undone.

import { LATENCY } from './tuning.ts'

export type Pressure = 'none' | 'high' | 'slow'

export class Latency {
  /** What the last mean shows. */
  pressure: Pressure = 'none'
  #sum = 0
  #squares = 0
  #count = 0
  #mean = 0
  #floor = Infinity
  #floorAt = -Infinity
  #strikes = 0
  /** The limit and the mean before a cut whose effect is not known yet; 0: none. */
  #trialLimit = 0
  #trialMean = 0

  /** The last mean, 0 before the first. */
  get mean(): number {
    return this.#mean
  }

  add(ms: number): void {
    this.#sum += ms
    this.#squares += ms * ms
    this.#count++
  }

  /** Forgets what was sent before a change, and the experiment: something else has changed the limit. */
  restart(): void {
    this.#clear()
    this.#strikes = 0
    this.#trialLimit = 0
    this.pressure = 'none'
  }

  /** @param isReached whether the limit was in use: if not, it is not what makes answers slow
   *  @returns the limit to go on with: the same, a lower one, or the one before a cut that did not help */
  judge(limit: number, isReached: boolean, isDoubling: boolean, now: number): number {
    if (this.#count < (isDoubling ? LATENCY.samplesDoubling : LATENCY.samples)) return limit
    const mean = (this.#mean = this.#sum / this.#count)
    const error = Math.sqrt(Math.max(0, this.#squares / this.#count - mean * mean) / this.#count)
    this.#clear()
    if (this.#trialLimit > 0 && limit <= this.#trialLimit * LATENCY.judgedAt) {
      const before = this.#trialLimit
      this.#trialLimit = 0
      if (mean + error > this.#trialMean * LATENCY.helped) return this.#accept(mean, now, before)
      this.#floorAt = now
    }
    this.#look(mean, error * LATENCY.doubt, isDoubling ? LATENCY.slackDoublingMs : LATENCY.slackMs, now)
    if (!isReached || limit < 2) {
      // nothing to cut: the service itself is as it is
      this.#strikes = 0
      return this.pressure === 'slow' || this.#isFloorOld(now) ? this.#accept(mean, now, limit) : limit
    }
    return this.pressure === 'slow' ? this.#strike(limit, mean, isDoubling) : this.#rest(limit, mean, now)
  }

  #clear(): void {
    this.#sum = 0
    this.#squares = 0
    this.#count = 0
  }

  #look(mean: number, doubt: number, slack: number, now: number): void {
    const floor = (this.#floor = Math.min(this.#floor, mean + doubt))
    if (mean <= Math.max(floor * LATENCY.seen, floor + LATENCY.seenMs)) this.#floorAt = now
    const atLeast = mean - doubt
    if (atLeast <= Math.max(floor * LATENCY.high, floor + slack)) this.pressure = 'none'
    else this.pressure = atLeast <= Math.max(floor * LATENCY.slow, floor + LATENCY.slackMs) ? 'high' : 'slow'
  }

  #strike(limit: number, mean: number, isDoubling: boolean): number {
    // the doubling was the experiment
    if (isDoubling) return limit / 2
    if (++this.#strikes < LATENCY.strikes) return limit
    this.#try(limit, mean)
    return Math.max(1, limit * LATENCY.cut)
  }

  #rest(limit: number, mean: number, now: number): number {
    this.#strikes = 0
    this.#trialLimit = 0
    if (!this.#isFloorOld(now)) return limit
    this.#try(limit, mean)
    return Math.max(1, limit * LATENCY.dip)
  }

  #try(limit: number, mean: number): void {
    if (this.#trialLimit > 0) return
    this.#trialLimit = limit
    this.#trialMean = mean
  }

  #isFloorOld(now: number): boolean {
    return now - this.#floorAt >= LATENCY.floorMs
  }

  #accept(mean: number, now: number, limit: number): number {
    this.#floor = mean
    this.#floorAt = now
    this.#strikes = 0
    this.pressure = 'none'
    return limit
  }
}
