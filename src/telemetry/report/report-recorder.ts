// Records a delivery for its report: every attempt, every checkpoint, and the engine's state once a second; nothing per record.

import type { EngineFacts, Tally } from '../../core/tally.ts'
import type { Clock, DeliveryWatch, Outcome, Request } from '../../core/types.ts'
import type { HeldBy } from '../../core/concurrency/limit.ts'
import type { CheckpointPlace, PermitsFacts } from '../run-facts.ts'
import type { RecordedFacts, ReportEndWaits, ReportRecord, ReportSample } from './report.ts'
import { LatencyCounts, Samples } from './report-samples.ts'
import type { Sample } from './report-samples.ts'

export interface RecorderParts<C> {
  readonly clock: Pick<Clock, 'now'>
  /** When the run began, by that clock; recording begins with the constructor. */
  readonly startedAt: number
  readonly permits: PermitsFacts
  /** Checkpoints are counted by scope. */
  readonly scopeOf: (checkpoint: C) => unknown
  readonly placeOf?: (checkpoint: C) => CheckpointPlace | undefined
  readonly tally: Pick<Tally, 'engine'>
}

/** For one delivery. */
export class ReportRecorder<C> implements DeliveryWatch<C>, RecordedFacts {
  /** Committed, by scope. */
  readonly checkpoints = new Map<unknown, number>()
  readonly places = new Map<string, CheckpointPlace>()
  readonly heldMs: Record<HeldBy, number> = { pause: 0, outage: 0, trial: 0, rate: 0, permits: 0 }
  readonly #parts: RecorderParts<C>
  readonly #samples: Samples
  readonly #waits: ReportWaits
  #tickedAt: number
  #inFlight = 0
  /** Up to when `inFlightMs` is counted. */
  #flownTo: number

  constructor(parts: RecorderParts<C>) {
    const now = parts.clock.now()
    this.#parts = parts
    this.#tickedAt = this.#flownTo = now
    this.#samples = new Samples(now)
    this.#waits = new ReportWaits(now)
  }

  attemptBegan(): void {
    this.#fly(1, this.#parts.clock.now())
  }

  attemptEnded(request: Request, outcome: Outcome, ms: number): void {
    const now = this.#parts.clock.now()
    this.#fly(-1, now)
    const { current } = this.#samples
    current.attempts++
    // a failed connection says nothing about how long answers take
    if (outcome.status !== 'retry' || outcome.cause !== 'network') current.latency.add(ms)
    if (outcome.status === 'delivered') {
      current.requests++
      current.points += request.points
      current.bytes += request.body.length
    } else if (outcome.status === 'retry') {
      current.retries[outcome.cause]++
      if (outcome.afterMs !== undefined && outcome.congestion) this.#waits.pause(outcome.afterMs, now)
    }
  }

  committed(checkpoint: C): void {
    const scope = this.#parts.scopeOf(checkpoint)
    this.checkpoints.set(scope, (this.checkpoints.get(scope) ?? 0) + 1)
    const place = this.#parts.placeOf?.(checkpoint)
    if (place) this.#reached(place)
  }

  /** They may come in another order than they stand in the input. */
  #reached(place: CheckpointPlace): void {
    const key = `${place.partition} ${place.topic}`
    const { first, last } = this.places.get(key) ?? place
    this.places.set(key, {
      ...place,
      first: place.first < first ? place.first : first,
      last: place.last > last ? place.last : last,
    })
  }

  readingEnded(): void {
    this.#waits.endOfReading(this.#parts.clock.now())
  }

  /** To be called regularly. */
  tick(): void {
    const now = this.#parts.clock.now()
    this.#reach(now)
    this.#samples.tick(now)
  }

  /** Up to now. */
  record(): ReportRecord {
    const { clock, startedAt } = this.#parts
    const now = clock.now()
    this.#reach(now)
    this.#samples.reach(now)
    const samples = this.#samples.all
    const latency = new LatencyCounts()
    for (const sample of samples) latency.addAll(sample.latency)
    const { pauses, pausedMs, readUntil, end } = this.#waits
    return {
      samples: samples.map((sample) => figuresOf(sample, startedAt)),
      latency: latency.figures,
      pauses: { count: pauses, ms: pausedMs },
      readUntil: readUntil === undefined ? undefined : readUntil - startedAt,
      endWaits: { ...end },
    }
  }

  #reach(now: number): void {
    const { tally, permits } = this.#parts
    const { current } = this.#samples
    const ms = now - this.#tickedAt
    this.#fly(0, now)
    current.permitMs += ms * permits.limit
    current.rate = permits.rate?.perSecond
    if (permits.heldBy !== undefined) this.heldMs[permits.heldBy] += ms
    current.pausedMs += this.#waits.tick(tally.engine, this.#tickedAt, now)
    this.#tickedAt = now
  }

  #fly(change: number, now: number): void {
    this.#samples.current.inFlightMs += this.#inFlight * (now - this.#flownTo)
    this.#flownTo = now
    this.#inFlight += change
  }
}

function figuresOf({ from, to, latency, ...sums }: Sample, startedAt: number): ReportSample {
  return { ...sums, from: from - startedAt, to: to - startedAt, latency: latency.figures }
}

// What a run waits for: pauses that the service asks for, and, after reading has ended, whatever the end waits for.

class ReportWaits {
  /** Pauses; overlapping ones count as one. */
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
  /** The part of `pausedMs` that was reported. */
  #reported = 0
  #readUntil: number | undefined

  constructor(now: number) {
    this.#counted = now
  }

  /** When reading ended. */
  get readUntil(): number | undefined {
    return this.#readUntil
  }

  /** The service asked for a pause. */
  pause(ms: number, now: number): void {
    this.#count(now)
    if (now >= this.#pausedUntil) this.pauses++
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms)
  }

  endOfReading(now: number): void {
    this.#readUntil ??= now
  }

  /** @param since when it was last called
   *  @returns for how long since then the service had asked for no request */
  tick(engine: EngineFacts | undefined, since: number, now: number): number {
    this.#count(now)
    if (this.#readUntil !== undefined) this.end[this.#waitsFor(engine, now)] += now - Math.max(since, this.#readUntil)
    const more = this.pausedMs - this.#reported
    this.#reported = this.pausedMs
    return more
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
