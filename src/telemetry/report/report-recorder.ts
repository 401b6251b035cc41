// Records a delivery for its report: every attempt, every checkpoint, and the engine's state once a second; nothing per record.

import type { Tally } from '../../core/tally.ts'
import type { Clock, DeliveryWatch, Outcome, Request } from '../../core/types.ts'
import { busyMs } from '../../process/system-clock.ts'
import type { CheckpointPlace, PermitsFacts } from '../run-facts.ts'
import type { RecordedFacts, ReportRecord } from './report.ts'
import { LatencyCounts, Samples } from './report-samples.ts'
import type { Sample, Wait } from './report-samples.ts'

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
  readonly #parts: RecorderParts<C>
  readonly #samples: Samples
  readonly #pauses: Pauses
  readonly #latency = new LatencyCounts()
  #readUntil: number | undefined
  #tickedAt: number
  #busyUntil = busyMs()
  #inFlight = 0
  /** Up to when `inFlightMs` is counted. */
  #flownTo: number

  constructor(parts: RecorderParts<C>) {
    const now = parts.clock.now()
    this.#parts = parts
    this.#tickedAt = this.#flownTo = now
    this.#samples = new Samples(now)
    this.#pauses = new Pauses(now)
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
    if (outcome.status !== 'retry' || outcome.cause !== 'network') this.#latency.add(ms)
    if (outcome.status === 'delivered') {
      current.requests++
      current.points += request.points
      current.bytes += request.body.length
    } else if (outcome.status === 'retry') {
      current.retries[outcome.cause]++
      if (outcome.afterMs !== undefined && outcome.congestion) this.#pauses.begin(outcome.afterMs, now)
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
    this.#readUntil ??= this.#parts.clock.now()
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
    const { count, ms } = this.#pauses
    const since = ({ from, to, ...sums }: Sample): Sample => ({ ...sums, from: from - startedAt, to: to - startedAt })
    return {
      samples: this.#samples.all.map(since),
      latency: this.#latency.figures,
      pauses: { count, ms },
      readUntil: this.#readUntil === undefined ? undefined : this.#readUntil - startedAt,
    }
  }

  #reach(now: number): void {
    const { permits } = this.#parts
    const { current } = this.#samples
    const ms = now - this.#tickedAt
    this.#fly(0, now)
    current.permitMs += ms * permits.limit
    current.rate = permits.rate?.perSecond
    const wait = this.#wait()
    if (wait !== undefined) current.heldMs[wait] += ms
    current.pausedMs += this.#pauses.reach(now)
    const busy = busyMs()
    current.busyMs += Math.min(ms, busy - this.#busyUntil)
    this.#busyUntil = busy
    this.#tickedAt = now
  }

  /** Fixed permits do not say what they hold back. */
  #wait(): Wait | undefined {
    const { permits, tally } = this.#parts
    // what permits say is as of the last attempt, and where nothing is to be sent there is none
    if (permits.heldBy !== undefined && tally.engine?.outstanding !== 0) return permits.heldBy
    if (permits.rate === undefined && this.#inFlight >= permits.limit) return 'permits'
    const { inFlight = 0, guarded = 0 } = tally.engine ?? {}
    return this.#readUntil !== undefined && inFlight === 0 && guarded > 0 ? 'guard' : undefined
  }

  #fly(change: number, now: number): void {
    this.#samples.current.inFlightMs += this.#inFlight * (now - this.#flownTo)
    this.#flownTo = now
    this.#inFlight += change
  }
}

/** That the service asked for; overlapping ones count as one. */
class Pauses {
  count = 0
  ms = 0
  #until = -Infinity
  #reached: number

  constructor(now: number) {
    this.#reached = now
  }

  begin(ms: number, now: number): void {
    if (now >= this.#until) {
      this.count++
      this.#reached = Math.max(this.#reached, now)
    }
    this.#until = Math.max(this.#until, now + ms)
  }

  /** @returns for how long the service had asked for no request since it was last called */
  reach(now: number): number {
    const ms = Math.max(0, Math.min(now, this.#until) - this.#reached)
    this.#reached = now
    this.ms += ms
    return ms
  }
}
