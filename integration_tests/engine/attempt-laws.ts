// What must hold between the engine and the service: what is sent when, in which order, how often at once, and what is
// made of the answers. Sees only requests and answers; knows nothing of how the engine works.

import type { ErrorKind } from '../../src/core/errors.ts'
import type { Outcome, Request } from '../../src/core/types.ts'
import { inWords, type Book } from './book.ts'
import type { History } from './history.ts'
import type { Fact } from './script.ts'
import { QuarantineLaws } from './quarantine-laws.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What a key's newer values wait for. */
export interface Fence {
  /** Sent and not yet answered for good. */
  unresolved: Fact | undefined
  inFlight: boolean
  /** No newer value before this. */
  guardedUntil: number
  /** Since when the next may go. */
  freeAt: number
  lastStored: number
}

type Retrying = { readonly since: number; readonly askedUntil: number; readonly facts: readonly Fact[] }

/** Backoff goes no further. */
const LONGEST_BACKOFF_MS = 30_000
/** While nothing is in flight, one attempt at least this often. */
export const PROBE_MS = 2000
/** A rate that the engine finds out itself is no lower than one attempt in so long. */
const SLOWEST_MS = 2000
/** Sums of fractions round. */
export const ROUNDING_MS = 0.01
/** The engine looks at how many bodies are cut small over at least this time. */
const SMALL_SPAN_MS = 250

/** What attempts need of the laws of a run. */
interface RunLaws {
  readonly book: Book
  readonly terminated: boolean
  readonly stoppedAt: number
  progressAt: number
  cause(message: string, stops: boolean, kind: ErrorKind): void
  allowFailure(message: string, kind: ErrorKind): void
  lookAtLeaves(): void
  stoodIn(fact: Fact): void
}

export class AttemptLaws {
  inFlight = 0
  /** Attempts made. */
  count = 0
  pausedUntil = -Infinity
  /** When an attempt last began, and when one last ended. */
  lastBegin = -Infinity
  lastEnd = -Infinity
  readonly retrying = new Map<string, Retrying>()
  /** When the first of an unbroken row of attempts ended that were no success, no refusal, nor asked for patience. */
  failingSince: number | undefined
  /** Until when the guard holds any key. */
  guardedUntil = -Infinity
  /** Permits that may be in flight at most, and those that there are at least. */
  readonly ceiling: number
  readonly floor: number
  /** From one attempt to the next, at most, while all goes well. */
  readonly spacingMs: number
  readonly #history: History
  readonly #laws: RunLaws
  readonly #book: Book
  readonly #clock: VirtualClock
  readonly #fences = new Map<string, Fence>()
  readonly #quarantine: QuarantineLaws
  readonly #firstSends = new Map<number, number>()
  readonly #sends: number[] = []
  /** So few attempts in flight are no reason to send none, where the engine finds out itself how many there may be. */
  readonly #few: number
  /** When all known permits were last out. */
  #lastBusy = -Infinity
  /** When the last requests that were less than half full began: bodies wait longer once there are many. */
  readonly #small: number[] = []
  hadManySmall = false
  /** How much time may pass, in all, just when the engine reads the clock: so much later things happened for it. */
  readonly delayedPauseMs: number
  readonly #slack: number

  /** @param ceiling of what the engine finds out */
  constructor(history: History, laws: RunLaws, clock: VirtualClock, ceiling: number) {
    const { permits, clock: clockOptions } = history
    this.#history = history
    this.#laws = laws
    this.#book = laws.book
    this.#quarantine = new QuarantineLaws(laws.book)
    this.#clock = clock
    this.ceiling = permits.limit ?? ceiling
    this.floor = permits.limit ?? 1
    this.#few = permits.limit === undefined ? ceiling / 16 : 0
    this.delayedPauseMs = clockOptions.pauses.filter(({ looking }) => looking).reduce((sum, { ms }) => sum + ms, 0)
    this.spacingMs = Math.max(
      permits.perSecond ? 1000 / permits.perSecond : 0,
      permits.limit === undefined ? SLOWEST_MS : 0,
    )
    this.#slack = clockOptions.lateMs + this.spacingMs + 1
  }

  sent(facts: readonly Fact[], request: Request): void {
    const now = this.#clock.time
    this.#book.note(() => `send ${inWords(facts)}`)
    this.#forget()
    this.#checkMeasure(facts, request, now)
    this.#checkWaits(facts, now)
    this.#quarantine.sent(facts)
    this.inFlight++
    this.count++
    this.lastBegin = now
    if (facts.length * 2 < this.#history.limits.maxPoints) this.#countSmall(now)
    this.retrying.delete(nameOf(facts))
    if (this.inFlight > this.ceiling) this.#book.break('attempts keep to the permits', `${this.inFlight} in flight`)
    if (now < this.pausedUntil - ROUNDING_MS)
      this.#book.break('no request to a paused origin', `until ${this.pausedUntil}`)
    if (this.#laws.terminated || now > this.#laws.stoppedAt + this.delayedPauseMs)
      this.#book.break('nothing is sent once the run is stopped', inWords(facts))
    for (const fact of facts) {
      if (!this.#firstSends.has(fact.v)) this.#firstSends.set(fact.v, now)
      if (fact.arrivedAt === undefined) this.#book.break('only what was taken is sent', `record ${fact.v}`)
      this.#checkAbandoned(fact)
      fact.isInFlight = true
      fact.sentAt = now
      fact.lostBefore ??= [...this.#book.lost.keys()]
      if (fact.fence !== undefined) this.#occupy(fact, this.fence(fact.fence), now)
      if (fact.done !== 'no') this.#book.break('what is settled is not sent again', `record ${fact.v}`)
    }
  }

  /** At 60 a second, 8 of them are within one of the spans of 250 ms that make up any longer time. */
  #countSmall(now: number): void {
    this.#small.push(now)
    if (this.#small.length > 8) this.#small.shift()
    if (this.#small.length === 8 && now - this.#small[0]! <= SMALL_SPAN_MS) this.hadManySmall = true
  }

  /** What was lost is not repeated; without it, its neighbours are another batch. */
  #forget(): void {
    const { lost } = this.#book
    if (lost.size === 0) return
    for (const [name, retry] of this.retrying) {
      const facts = retry.facts.filter((fact) => !this.#isForgotten(fact))
      if (facts.length === retry.facts.length) continue
      this.retrying.delete(name)
      if (facts.length > 0) this.retrying.set(nameOf(facts), { ...retry, facts })
    }
  }

  /** For certain: whose shares a track that is gone took along is not told. */
  #hasRetries(): boolean {
    if (!this.#book.hasGone) return this.retrying.size > 0
    return [...this.retrying.values()].some(({ facts }) => !facts.some(({ track }) => this.#book.isUnassigned(track)))
  }

  #checkAbandoned(fact: Fact): void {
    if (this.#isForgotten(fact)) this.#book.break('nothing of a lost track is sent', `record ${fact.v}`)
  }

  /** Unless it stands for an older one of another track as well. */
  #isForgotten(fact: Fact): boolean {
    const { lost, script } = this.#book
    if (!lost.has(fact.track)) return false
    if (fact.standsFor) return fact.standsFor.versions.every(({ track }) => lost.has(track))
    const older = fact.exact === undefined ? [] : script.versions.get(fact.exact)!
    return !older.some((other) => other.v < fact.v && !this.#book.isDone(other) && !lost.has(other.track))
  }

  #checkMeasure(facts: readonly Fact[], { body }: Request, now: number): void {
    const { limits, permits } = this.#history
    if (facts.length > limits.maxPoints || (facts.length > 1 && body.length > limits.maxBytes))
      this.#book.break('requests keep their limits', `${facts.length} points, ${body.length} bytes`)
    this.#sends.push(now)
    if (permits.perSecond === undefined || this.delayedPauseMs > 0) return
    // of what was not used one attempt is made up for
    const before = this.#sends.at(-3)
    if (before !== undefined && now - before < 1000 / permits.perSecond - ROUNDING_MS)
      this.#book.break('no more requests a second than asked for', `three from ${before} on`)
  }

  /** The engine may think the origin paused for so long. */
  get heldUntil(): number {
    return this.pausedUntil + this.delayedPauseMs
  }

  /** Neither retries nor probes come later than they should. */
  #checkWaits(facts: readonly Fact[], now: number): void {
    const retry = this.retrying.get(nameOf(facts))
    const held = Math.max(this.heldUntil, this.#clock.wokeAt)
    const asked = (retry?.askedUntil ?? 0) + this.delayedPauseMs
    const due = Math.max(retry ? this.#backoffEnd(retry.since) : Infinity, asked, held) + this.#slack
    // under a rate somebody goes, if not this one
    if (now > Math.max(due, this.#lastBusy, this.spacingMs > 0 ? this.lastBegin : 0) + this.#slack)
      this.#book.break('a retry waits 30 s at most while a permit is idle', `${inWords(facts)} since ${retry!.since}`)
    if (now > Math.max(due, this.lastBegin + PROBE_MS + this.#slack) && this.inFlight < this.#few)
      this.#book.break(
        'a few that hang hold up nobody',
        `${this.inFlight} in flight, none sent since ${this.lastBegin}`,
      )
    if (this.#hasRetries() && this.inFlight === 0 && now > Math.max(this.lastEnd, held) + PROBE_MS + this.#slack)
      this.#book.break('a probe goes every 2 s while nothing is in flight', `none since ${this.lastEnd}`)
  }

  /** The process may have stood still when it was about to see that the attempt had ended. */
  #backoffEnd(since: number): number {
    return (this.delayedPauseMs > 0 ? Math.max(since, this.#clock.wokeAt) : since) + LONGEST_BACKOFF_MS
  }

  #occupy(fact: Fact, fence: Fence, now: number): void {
    if (fence.inFlight) this.#book.break('one key is never in flight twice', `record ${fact.v}`)
    if (fence.unresolved !== fact && this.#book.isUnassigned(fence.unresolved?.track ?? -1))
      fence.unresolved = undefined
    if (fence.unresolved && fence.unresolved !== fact)
      this.#book.break('a newer value waits for the older one and its retries', `${fact.v} for ${fence.unresolved.v}`)
    if (!fence.unresolved && now < fence.guardedUntil - ROUNDING_MS)
      this.#book.break('no newer value of an ambiguous key inside the guard', `record ${fact.v}`)
    fence.inFlight = true
    fence.unresolved = fact
  }

  /** The transport threw. */
  broke(facts: readonly Fact[]): void {
    this.#end(facts)
    this.#laws.cause('the transport broke', true, 'system')
  }

  /** What the engine is about to be told, and what truly was.
   *  @param pausedUntil when the origin asks for no request before a time */
  answered(facts: readonly Fact[], outcome: Outcome, isAmbiguous: boolean, pausedUntil: number | undefined): void {
    const now = this.#clock.time
    this.#book.note(
      () =>
        `answer ${inWords(facts)}: ${JSON.stringify(outcome)}${isAmbiguous ? ', ambiguous' : ''}${pausedWords(pausedUntil)}`,
    )
    this.#end(facts)
    this.#laws.lookAtLeaves()
    if (outcome.status !== 'retry') this.failingSince = undefined
    else if (outcome.cause !== 'throttled') this.failingSince ??= now
    if (isAmbiguous) this.guardedUntil = now + this.#history.limits.guardMs
    const alone = facts.length === 1
    for (const fact of facts) {
      if (fact.fence !== undefined && isAmbiguous)
        this.fence(fact.fence).guardedUntil = now + this.#history.limits.guardMs
      if (outcome.status === 'delivered') this.resolve(fact, 'written')
      fact.refused = alone && (outcome.status === 'refused' || outcome.status === 'too-large')
    }
    const isRefused = this.#quarantine.answered(facts, outcome)
    if (isRefused === 'perhaps') this.#laws.allowFailure('The service refuses table', 'config')
    else if (isRefused) this.#laws.cause('The service refuses table', true, 'config')
    else if (outcome.status === 'refused') this.#refusedReject(facts)
    // an answer: the time for whatever comes of it begins anew
    if (outcome.status !== 'retry') for (const { v } of facts) this.#firstSends.delete(v)
    if (outcome.status === 'stop') this.#laws.cause(outcome.error.message, true, outcome.error.kind)
    if (pausedUntil !== undefined) this.pausedUntil = Math.max(this.pausedUntil, pausedUntil)
    if (outcome.status === 'retry') this.#retry(facts, now, pausedUntil ?? now)
    else this.#laws.progressAt = now
  }

  /** Without a place for rejects the run cannot go on, whatever becomes of its table. */
  #refusedReject([fact, ...others]: readonly Fact[]): void {
    if (!fact!.standsFor || others.length > 0 || this.#laws.stoppedAt < Infinity) return
    const tracks = fact!.standsFor.versions.map(({ track }) => track)
    if (tracks.some((track) => this.#book.lost.has(track))) return
    // a track that leaves may have been let go by now: its next owner rejects the row
    if (tracks.some((track) => this.#book.isUnassigned(track)))
      this.#laws.allowFailure('the table of rejects refuses', 'system')
    else this.#laws.cause('the table of rejects refuses', true, 'system')
  }

  #retry(facts: readonly Fact[], now: number, askedUntil: number): void {
    this.retrying.set(nameOf(facts), { since: now, askedUntil, facts })
    this.#forget()
    const spentAt = Math.min(...facts.map(({ v }) => this.#firstSends.get(v)!)) + this.#history.limits.retryForMs
    const latest = Math.max(now, askedUntil)
    const isClear = latest < spentAt - ROUNDING_MS || now >= spentAt || askedUntil > spentAt + ROUNDING_MS
    if (isClear && this.delayedPauseMs === 0) {
      if (latest >= spentAt) this.#laws.cause('retry_for_seconds', true, 'transient')
    } else if (latest + this.delayedPauseMs + ROUNDING_MS >= spentAt)
      this.#laws.allowFailure('retry_for_seconds', 'transient')
  }

  #end(facts: readonly Fact[]): void {
    if (this.inFlight >= this.floor) this.#lastBusy = this.#clock.time
    this.inFlight--
    this.lastEnd = this.#clock.time
    for (const fact of facts) {
      fact.isInFlight = false
      if (fact.fence !== undefined) this.fence(fact.fence).inFlight = false
    }
  }

  stored(facts: readonly Fact[]): void {
    this.#book.note(() => `stored ${inWords(facts)}`)
    for (const fact of facts) {
      this.#book.store(fact)
      if (fact.fence === undefined) continue
      const fence = this.fence(fact.fence)
      if (fact.v < fence.lastStored)
        this.#book.break('order per key', `record ${fact.v} arrives after ${fence.lastStored}`)
      fence.lastStored = fact.v
    }
  }

  fence(name: string): Fence {
    let fence = this.#fences.get(name)
    if (!fence) {
      fence = { unresolved: undefined, inFlight: false, guardedUntil: -Infinity, freeAt: -Infinity, lastStored: -1 }
      this.#fences.set(name, fence)
    }
    return fence
  }

  /** Whether it waits for its table, which may be refused as a whole. */
  isOnTrial(fact: Fact): boolean {
    return this.#quarantine.isQuarantined(fact.table)
  }

  resolve(fact: Fact, how: 'written' | 'rejected'): void {
    this.#book.settle(fact, how)
    this.#laws.progressAt = this.#clock.time
    if (how === 'written') this.#laws.stoodIn(fact)
    this.drop(fact)
  }

  /** It is not sent any more. */
  drop(fact: Fact): void {
    const fence = fact.fence === undefined ? undefined : this.fence(fact.fence)
    if (fence?.unresolved !== fact) return
    fence.unresolved = undefined
    fence.freeAt = Math.max(this.#clock.time, fence.guardedUntil)
  }
}

/** Of a batch: its first record is in no other, but for the halves of what was split. */
function nameOf(facts: readonly Fact[]): string {
  return `${facts[0]!.v}/${facts.length}`
}

function pausedWords(until: number | undefined): string {
  return until === undefined ? '' : `, paused until ${until.toFixed(3)}`
}
