// Whether answers take longer because we send too much. Compares means of successes only, so that jitter and a mix of large
// and small requests are in both. A cut is an experiment: by Little's law it shortens the wait only if the queue is ours;
// does it not, then the service itself has become slower, or the requests larger, and the cut is taken back.

/** So many successes make a mean: few while the limit doubles, for there every window counts. */
const SAMPLES = 16
const SAMPLES_DOUBLING = 8
/** Standard errors a mean is given the benefit of, upwards as the floor, downwards as slow: the least of many means of jitter
 *  would be far below the usual one. */
const DOUBT = 2
/** Times the floor: above it growth stops doubling, above it the limit is cut. */
const HIGH = 1.6
const SLOW = 2.2
/** Nothing so little above the floor counts: on a fast service that is our own process being busy, not a queue there. */
const SLACK_MS = 20
/** But while the limit doubles, so little more is a sign that doubling it no longer pays, wherever the queue is: at 2 ms a
 *  handful of requests keeps this process busy, and each further one costs memory and a connection (bench: small-dedup). */
const SLACK_DOUBLING_MS = 2
/** So many slow means in a row before the first cut: one is chance, or a collection of garbage. */
const STRIKES = 2
const CUT = 0.85
/** A floor that was not seen for so long is looked for by sending less for a moment (BBR's ProbeRTT); the least of a
 *  while alone would rise with a queue that never drains. */
const FLOOR_MS = 30_000
const SEEN = 1.15
const SEEN_MS = 5
const DIP = 0.6
/** Judged once the limit is at most this part of what it was; helped if the mean fell at least to that part. */
const TRIAL_DONE = 0.65
const HELPED = 0.85

export type Pressure = 'none' | 'high' | 'slow'

export class Latency {
  /** What the last mean said. */
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
    if (this.#count < (isDoubling ? SAMPLES_DOUBLING : SAMPLES)) return limit
    const mean = (this.#mean = this.#sum / this.#count)
    const error = Math.sqrt(Math.max(0, this.#squares / this.#count - mean * mean) / this.#count)
    this.#clear()
    if (this.#trialLimit > 0 && limit <= this.#trialLimit * TRIAL_DONE) {
      const before = this.#trialLimit
      this.#trialLimit = 0
      if (mean + error > this.#trialMean * HELPED) return this.#accept(mean, now, before)
      this.#floorAt = now
    }
    this.#look(mean, error * DOUBT, isDoubling ? SLACK_DOUBLING_MS : SLACK_MS, now)
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
    if (mean <= Math.max(floor * SEEN, floor + SEEN_MS)) this.#floorAt = now
    const atLeast = mean - doubt
    if (atLeast <= Math.max(floor * HIGH, floor + slack)) this.pressure = 'none'
    else this.pressure = atLeast <= Math.max(floor * SLOW, floor + SLACK_MS) ? 'high' : 'slow'
  }

  #strike(limit: number, mean: number, isDoubling: boolean): number {
    // the doubling was the experiment
    if (isDoubling) return limit / 2
    if (++this.#strikes < STRIKES) return limit
    this.#try(limit, mean)
    return Math.max(1, limit * CUT)
  }

  #rest(limit: number, mean: number, now: number): number {
    this.#strikes = 0
    this.#trialLimit = 0
    if (!this.#isFloorOld(now)) return limit
    this.#try(limit, mean)
    return Math.max(1, limit * DIP)
  }

  #try(limit: number, mean: number): void {
    if (this.#trialLimit > 0) return
    this.#trialLimit = limit
    this.#trialMean = mean
  }

  #isFloorOld(now: number): boolean {
    return now - this.#floorAt >= FLOOR_MS
  }

  #accept(mean: number, now: number, limit: number): number {
    this.#floor = mean
    this.#floorAt = now
    this.#strikes = 0
    this.pressure = 'none'
    return limit
  }
}
