// Records a delivery for the summary of its run: every attempt, every checkpoint, and the engine's state once a second; nothing per record.
// The engine calls it as a `DeliveryWatch`; RunFiles calls `tick` once a second, and `record` whenever it writes the summary.

import type { Tally } from '../core/tally.ts'
import type { Clock, DeliveryWatch, Outcome, Request } from '../core/types.ts'
import { busyMs } from '../process/system-clock.ts'
import type { OpenInput } from './open-input.ts'
import { LatencyCounts } from './request-durations.ts'
import type { CheckpointPlace, ListedOutage, PermitsFacts } from './run-facts.ts'
import { Samples, type Wait } from './samples.ts'

export interface RecorderParts<C> {
  readonly clock: Pick<Clock, 'now'>
  /** When the run began, by that clock; the recorder may be made later. */
  readonly startedAt: number
  readonly permits: PermitsFacts
  readonly tally: Pick<Tally, 'engine'>
  readonly outages: readonly ListedOutage[]
  readonly input: Pick<OpenInput<C, never>, 'scopeOf' | 'checkpointPlace'>
}

/** A process that computes for this share of the time or more would not get faster by more permits. */
const SATURATED = 0.85

export class RunRecorder<C> implements DeliveryWatch<C> {
  /** Committed checkpoints by the scope of their row. */
  readonly #checkpoints = new Map<unknown, number>()
  /** The part of the input that checkpoints cover, by topic and partition. */
  readonly #places = new Map<string, CheckpointPlace>()
  readonly #parts: RecorderParts<C>
  readonly #samples: Samples
  readonly #latency = new LatencyCounts()
  /** When reading ended, as a time since the run began. `undefined` while it goes on. */
  #readUntil: number | undefined
  /** The time up to which all is counted but attempts in flight. */
  #caughtUpTo: number
  /** How long this process had been busy by then. */
  #busyMsThen = busyMs()
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

  /** The present time since the run began, as all times that are kept here. */
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

  /** Widens the part of a partition that checkpoints cover. They may come in another order than they stand in the input. */
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

  /** Counts the last second, and begins another sample when the current one is long enough. To be called once a second. */
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
      samples: this.#samples.all,
      latency: this.#latency.figures,
      readUntil: this.#readUntil,
      /** The part that checkpoints cover of each partition; one in all for an input without partitions. */
      places: [...this.#places.values()],
      checkpoints: this.#checkpoints,
    }
  }

  /** Counts the time since the last call as spent in the engine's present state. */
  #catchUp(now: number): void {
    const { permits } = this.#parts
    const { current } = this.#samples
    const ms = now - this.#caughtUpTo
    this.#countInFlight(0, now)
    current.permitMs += ms * permits.limit
    current.rate = permits.rate?.perSecond
    const wait = this.#currentWait()
    if (wait !== undefined) current.heldMs[wait] += ms
    const busyMsNow = busyMs()
    const computedMs = Math.min(ms, busyMsNow - this.#busyMsThen)
    current.busyMs += computedMs
    this.#busyMsThen = busyMsNow
    this.#countSpent(ms, wait, computedMs)
    this.#caughtUpTo = now
  }

  /** Counts the time since the last call by the first of `STATES` that applies. An outage or a wait, seen only now, gets all of it. */
  #countSpent(ms: number, wait: Wait | undefined, computedMs: number): void {
    const { outages, tally } = this.#parts
    const { inFlight, retrying } = tally.engine()
    const { spentMs } = this.#samples.current
    const idleMs = Math.min(this.#idleMs, ms - computedMs)
    this.#idleMs = 0
    const isOutage = wait === 'outage' || outages.some(({ to }) => to === undefined)
    const isOnlyRetrying = wait === undefined && inFlight === 0 && retrying > 0
    // a process that does nothing but compute has all permits in use because of that, so then it does not wait for them
    const isWaiting = wait !== undefined && (wait !== 'permits' || computedMs < SATURATED * ms)
    if (isOutage) spentMs.outage += ms
    else if (isOnlyRetrying || isWaiting) spentMs.held += ms
    else {
      spentMs.busy += computedMs
      spentMs.idle += idleMs
      spentMs.free += ms - computedMs - idleMs
    }
  }

  /** Returns what requests wait for. `undefined` when they do not wait. */
  #currentWait(): Wait | undefined {
    const { permits, tally } = this.#parts
    const { outstanding, inFlight, guarded } = tally.engine()
    // permits are not told that nothing is left to send, so their reason may be out of date then
    if (outstanding > 0 && permits.heldBy !== undefined) return permits.heldBy
    // fixed permits have no rate, and do not tell what they hold back
    if (permits.rate === undefined && this.#inFlight >= permits.limit) return 'permits'
    return this.#readUntil !== undefined && inFlight === 0 && guarded > 0 ? 'guard' : undefined
  }

  /** Counts the attempts in flight up to now. @param change 1 when another one begins now, -1 when one ends, else 0 */
  #countInFlight(change: 1 | 0 | -1, now: number): void {
    if (this.#inFlight === 0) this.#idleMs += now - this.#inFlightUntil
    this.#samples.current.inFlightMs += this.#inFlight * (now - this.#inFlightUntil)
    this.#inFlightUntil = now
    this.#inFlight += change
  }
}
