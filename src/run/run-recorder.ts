// Records a delivery for its summary: every attempt, every checkpoint, and the engine's state once a second; nothing per record. The
// engine calls it as a `DeliveryWatch`, RunFiles calls `tick` once a second, and `record` whenever it writes.

import type { Tally } from '../core/tally.ts'
import type { Clock, DeliveryWatch, Outcome, Request } from '../core/types.ts'
import { busyMs } from '../process/system-clock.ts'
import type { OpenInput } from './open-input.ts'
import { LatencyCounts } from './request-durations.ts'
import type { CheckpointPlace, ListedOutage, PermitsFacts } from './run-facts.ts'
import { Samples, type Wait } from './samples.ts'

export interface RecorderParts<C> {
  readonly clock: Pick<Clock, 'now'>
  /** When the run began, by that clock; recording begins with the constructor. */
  readonly startedAt: number
  readonly permits: PermitsFacts
  readonly tally: Pick<Tally, 'engine'>
  readonly outages: readonly ListedOutage[]
  readonly input: Pick<OpenInput<C, never>, 'scopeOf' | 'checkpointPlace'>
}

/** From this share of the time that a process computes, more permits would not help. */
const SATURATED = 0.85

export class RunRecorder<C> implements DeliveryWatch<C> {
  readonly #checkpoints = new Map<unknown, number>()
  readonly #places = new Map<string, CheckpointPlace>()
  readonly #parts: RecorderParts<C>
  readonly #samples: Samples
  readonly #latency = new LatencyCounts()
  #readUntil: number | undefined
  /** The time up to which the current sample is counted, but for attempts. */
  #caughtUpTo: number
  #busyUntil = busyMs()
  #inFlight = 0
  /** The time up to which attempts in flight are counted. */
  #inFlightUntil: number
  /** The time without an attempt in flight, since `#caughtUpTo`. */
  #idleMs = 0

  constructor(parts: RecorderParts<C>) {
    this.#parts = parts
    const now = this.#now()
    this.#caughtUpTo = this.#inFlightUntil = now
    this.#samples = new Samples(now)
  }

  /** The time since the run began, as all times that are kept here. */
  #now(): number {
    return this.#parts.clock.now() - this.#parts.startedAt
  }

  attemptBegan(): void {
    this.#countInFlight(1, this.#now())
  }

  attemptEnded(request: Request, outcome: Outcome, ms: number): void {
    this.#countInFlight(-1, this.#now())
    const { current } = this.#samples
    current.attempts++
    // a failed connection says nothing about how long answers take
    if (outcome.status !== 'retry' || outcome.cause !== 'network') this.#latency.add(ms)
    if (outcome.status === 'delivered') {
      current.requests++
      current.points += request.points
      current.bytes += request.body.length
    } else if (outcome.status === 'retry') current.retries[outcome.cause]++
  }

  committed(checkpoint: C): void {
    const { input } = this.#parts
    const scope = input.scopeOf(checkpoint)
    this.#checkpoints.set(scope, (this.#checkpoints.get(scope) ?? 0) + 1)
    const place = input.checkpointPlace?.(checkpoint)
    if (place) this.#widen(place)
  }

  /** Widens what checkpoints cover: they may come in another order than they stand in the input. */
  #widen(place: CheckpointPlace): void {
    const key = `${place.partition} ${place.topic}`
    const { first, last } = this.#places.get(key) ?? place
    this.#places.set(key, {
      ...place,
      first: place.first < first ? place.first : first,
      last: place.last > last ? place.last : last,
    })
  }

  readingEnded(): void {
    this.#readUntil ??= this.#now()
  }

  /** Ends a stretch when it is long enough. To be called once a second. */
  tick(): void {
    const now = this.#now()
    this.#catchUp(now)
    this.#samples.tick(now)
  }

  /** Returns how the run did up to now. Times are milliseconds since it began. */
  record() {
    const now = this.#now()
    this.#catchUp(now)
    this.#samples.reach(now)
    return {
      /** Stretches in order, without a gap; bounded, however long the run is. */
      samples: this.#samples.all,
      latency: this.#latency.figures,
      /** When reading ended. `undefined` while it goes on. */
      readUntil: this.#readUntil,
      /** How far checkpoints reach, by partition; one for an input without partitions. */
      places: [...this.#places.values()],
      /** Committed checkpoints by the scope of their row. */
      checkpoints: this.#checkpoints,
    }
  }

  /** Counts the time since the last call. */
  #catchUp(now: number): void {
    const { permits } = this.#parts
    const { current } = this.#samples
    const ms = now - this.#caughtUpTo
    this.#countInFlight(0, now)
    current.permitMs += ms * permits.limit
    current.rate = permits.rate?.perSecond
    const wait = this.#currentWait()
    if (wait !== undefined) current.heldMs[wait] += ms
    const busy = busyMs()
    const computed = Math.min(ms, busy - this.#busyUntil)
    current.busyMs += computed
    this.#busyUntil = busy
    this.#countSpent(ms, wait, computed)
    this.#caughtUpTo = now
  }

  /** Counts the time as the first of `STATES` that is so. What waits is looked at once a second, so it has all of it. But a process that
   *  does nothing else than compute fills its permits by that: more of them would not help. */
  #countSpent(ms: number, wait: Wait | undefined, computed: number): void {
    const { outages, tally } = this.#parts
    const { inFlight, retrying } = tally.engine()
    const { spentMs } = this.#samples.current
    const idle = Math.min(this.#idleMs, ms - computed)
    this.#idleMs = 0
    if (wait === 'outage' || outages.some(({ to }) => to === undefined)) spentMs.outage += ms
    else if (wait === undefined ? inFlight === 0 && retrying > 0 : wait !== 'permits' || computed < SATURATED * ms)
      spentMs.held += ms
    else {
      spentMs.busy += computed
      spentMs.idle += idle
      spentMs.free += ms - computed - idle
    }
  }

  /** Returns what requests wait for. Fixed permits do not say what they hold back. */
  #currentWait(): Wait | undefined {
    const { permits, tally } = this.#parts
    const { outstanding, inFlight, guarded } = tally.engine()
    // permits know no time in which nothing is sent, so what they say stays as it was
    if (outstanding > 0 && permits.heldBy !== undefined) return permits.heldBy
    if (permits.rate === undefined && this.#inFlight >= permits.limit) return 'permits'
    return this.#readUntil !== undefined && inFlight === 0 && guarded > 0 ? 'guard' : undefined
  }

  /** Counts what was in flight up to now, and then one attempt more or less. */
  #countInFlight(change: number, now: number): void {
    if (this.#inFlight === 0) this.#idleMs += now - this.#inFlightUntil
    this.#samples.current.inFlightMs += this.#inFlight * (now - this.#inFlightUntil)
    this.#inFlightUntil = now
    this.#inFlight += change
  }
}
