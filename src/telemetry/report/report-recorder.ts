// Records a delivery for its report: every attempt, every checkpoint, and the engine's state once a second; nothing per record.

import type { Parts } from '../../core/deliver.ts'
import type { EngineFacts } from '../../core/tally.ts'
import type { Clock, Outcome, Rejected, Rejects, Request, Source, Transport } from '../../core/types.ts'
import type { ReportEndWaits, ReportRecord, ReportSample } from './report.ts'
import { LatencyCounts, Samples } from './report-samples.ts'
import type { Sample } from './report-samples.ts'
import { causeOf, RejectCounts } from './report-scrub.ts'

export interface RecorderParts<C, O> {
  readonly clock: Pick<Clock, 'now'>
  /** When the run began, by that clock; recording begins with the constructor. */
  readonly startedAt: number
  readonly permits: { readonly limit: number }
  /** Checkpoints are counted by scope. */
  readonly scopeOf: (checkpoint: C) => unknown
  /** The stream or topic of a record. */
  readonly nameOf: (rejected: Rejected<O>) => string
}

/** A rejected record that ended the run: its error, and a message without data. */
export interface RejectStop {
  readonly error: unknown
  readonly message: string
  /** Its stream or topic. */
  readonly name: string
  /** Including those it superseded. */
  readonly records: number
}

/** For one delivery. */
export class ReportRecorder<C, O> {
  /** Committed, by scope. */
  readonly checkpoints = new Map<unknown, number>()
  readonly #parts: RecorderParts<C, O>
  readonly #samples: Samples
  readonly #waits: ReportWaits
  readonly #rejects = new RejectCounts()
  #tickedAt: number
  #inFlight = 0
  /** Up to when `inFlightMs` is counted. */
  #flownTo: number
  #tally: Parts<C, O>['tally'] | undefined
  #rejectStop: RejectStop | undefined

  constructor(parts: RecorderParts<C, O>) {
    const now = parts.clock.now()
    this.#parts = parts
    this.#tickedAt = this.#flownTo = now
    this.#samples = new Samples(now)
    this.#waits = new ReportWaits(now)
  }

  /** Set if a rejected record ended the run. The error's own message may quote the service, or show the record's key. */
  get rejectStop(): RejectStop | undefined {
    return this.#rejectStop
  }

  /** The parts to deliver with instead. */
  watch(parts: Parts<C, O>): Parts<C, O> {
    this.#tally = parts.tally
    return {
      ...parts,
      transport: this.#watchTransport(parts.transport),
      source: this.#watchSource(parts.source),
      rejects: this.#watchRejects(parts.rejects),
    }
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
      rejects: this.#rejects.all,
      pauses: { count: pauses, ms: pausedMs },
      readUntil: readUntil === undefined ? undefined : readUntil - startedAt,
      endWaits: { ...end },
    }
  }

  #reach(now: number): void {
    const engine = this.#tally?.engine
    const { current } = this.#samples
    const ms = now - this.#tickedAt
    this.#fly(0, now)
    current.permitMs += ms * this.#parts.permits.limit
    current.pausedMs += this.#waits.tick(engine, this.#tickedAt, now)
    this.#tickedAt = now
  }

  #watchTransport(transport: Transport): Transport {
    const { clock } = this.#parts
    return {
      send: async (request, signal) => {
        const started = clock.now()
        this.#fly(1, started)
        const outcome = await transport.send(request, signal)
        const now = clock.now()
        this.#fly(-1, now)
        this.#attempted(request, outcome, now - started, now)
        return outcome
      },
      isQuiet: () => transport.isQuiet?.() ?? false,
    }
  }

  #fly(change: number, now: number): void {
    this.#samples.current.inFlightMs += this.#inFlight * (now - this.#flownTo)
    this.#flownTo = now
    this.#inFlight += change
  }

  #attempted(request: Request, outcome: Outcome, ms: number, now: number): void {
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

  #watchSource(source: Source<C, O>): Source<C, O> {
    const { scopeOf, clock } = this.#parts
    const waits = this.#waits
    return {
      async *read(signal, abandon, giveAway) {
        try {
          yield* source.read(signal, abandon, giveAway)
        } finally {
          waits.endOfReading(clock.now())
        }
      },
      settled: async (checkpoint, counts) => {
        await source.settled(checkpoint, counts)
        const scope = scopeOf(checkpoint)
        this.checkpoints.set(scope, (this.checkpoints.get(scope) ?? 0) + 1)
      },
      // absent if the source cannot hold a track
      ...(source.hold ? { hold: (track, full) => source.hold!(track, full) } : {}),
    }
  }

  #watchRejects(rejects: Rejects<O>): Rejects<O> {
    const { nameOf } = this.#parts
    return {
      overlaps: rejects.overlaps,
      placeOf: (origin) => rejects.placeOf(origin),
      put: async (rejected, signal) => {
        try {
          const items = await rejects.put(rejected, signal)
          this.#rejects.add(rejected, nameOf(rejected))
          return items
        } catch (error) {
          // without overlap the policy is to end the run; with it, the record could not be kept and counts as not rejected
          if (!rejects.overlaps) this.#stoppedBy(rejected, error)
          throw error
        }
      },
    }
  }

  #stoppedBy(rejected: Rejected<O>, error: unknown): void {
    const name = this.#parts.nameOf(rejected)
    this.#rejects.add(rejected, name)
    const { reason } = causeOf(rejected)
    const table = rejected.table === undefined ? '' : `, table "${rejected.table.name}",`
    const message = `A record of "${name}"${table} cannot be stored: ${reason}. The log tells which, and what to do.`
    this.#rejectStop ??= { error, message, name, records: 1 + rejected.superseded }
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
