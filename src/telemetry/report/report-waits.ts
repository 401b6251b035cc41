// What a run waits for: the pauses the service asks for, and, once nothing more is read, whatever its end waits for. Knows no
// clock but the `now` it is given.

import type { EngineFacts } from '../../core/tally.ts'
import type { ReportEndWaits } from './report-data.ts'

export class ReportWaits {
  /** Pauses, those that overlap as one. */
  pauses = 0
  pausedMs = 0
  readonly end: { -readonly [Wait in keyof ReportEndWaits]: number } = {
    answers: 0,
    pause: 0,
    retries: 0,
    guard: 0,
    rest: 0,
  }
  #pausedUntil = -Infinity
  /** Up to when pauses are counted. */
  #counted: number
  /** Of `pausedMs`. */
  #told = 0
  #readUntil: number | undefined

  constructor(now: number) {
    this.#counted = now
  }

  /** When reading ended. */
  get readUntil(): number | undefined {
    return this.#readUntil
  }

  /** The service asks for no request for a while. */
  pause(ms: number, now: number): void {
    this.#count(now)
    if (now >= this.#pausedUntil) this.pauses++
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms)
  }

  endOfReading(now: number): void {
    this.#readUntil ??= now
  }

  /** Time goes on.
   *  @param since when it was called last
   *  @returns how long of it the service had asked for no request */
  tick(engine: EngineFacts | undefined, since: number, now: number): number {
    this.#count(now)
    if (this.#readUntil !== undefined) this.end[this.#waitsFor(engine, now)] += now - Math.max(since, this.#readUntil)
    const untold = this.pausedMs - this.#told
    this.#told = this.pausedMs
    return untold
  }

  #count(now: number): void {
    this.pausedMs += Math.max(0, Math.min(now, this.#pausedUntil) - this.#counted)
    this.#counted = now
  }

  #waitsFor(engine: EngineFacts | undefined, now: number): keyof ReportEndWaits {
    if (engine === undefined) return 'rest'
    if (engine.inFlight > 0) return 'answers'
    if (now < this.#pausedUntil) return 'pause'
    if (engine.retrying > 0) return 'retries'
    return engine.guarded > 0 ? 'guard' : 'rest'
  }
}
