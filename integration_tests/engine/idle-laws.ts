// What must hold whenever everybody waits: nothing that could go on has been left lying. Looks at what is known of each
// record and checkpoint; knows nothing of how the engine works.

import { PROBE_MS, ROUNDING_MS } from './attempt-laws.ts'
import type { Book } from './book.ts'
import type { History, Scope } from './history.ts'
import type { Laws } from './laws.ts'
import { areOrdered, type Fact, type Mark } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'

export class IdleLaws {
  readonly #history: History
  readonly #laws: Laws
  readonly #book: Book
  readonly #clock: VirtualClock
  /** When the last fault can have shown, Infinity without a calm. */
  readonly #calmFrom: number
  /** How late timers and a rate make things. */
  readonly #slack: number
  /** Facts before it are done, by checkpoint. */
  readonly #doneUpTo = new Map<Mark, number>()

  constructor(history: History, laws: Laws, clock: VirtualClock) {
    const { service, clock: clockOptions, rejects } = history
    this.#history = history
    this.#laws = laws
    this.#book = laws.book
    this.#clock = clock
    this.#calmFrom = clock.time + (service.calmFrom ?? Infinity) + service.timeoutMs
    this.#slack = 4 * clockOptions.lateMs + rejects.ms + 2 * laws.attempts.spacingMs + 1
  }

  /** Everybody waits: whatever could have been sent is being sent, what could be committed is. */
  check(): void {
    if (this.#clock.isBehind) return
    this.#checkFreshness()
    this.#checkGrace()
    if (this.#clock.time >= this.#laws.stoppedAt || this.#laws.allowedFailures.length > 0) return
    this.#checkLosses()
    this.#checkLeaves()
    this.#checkLingering()
    if (this.#clock.time > this.#calmFrom) this.#checkRecovery()
  }

  /** A checkpoint is committed in the instant in which all before it is settled. */
  #checkFreshness(): void {
    if (this.#laws.committing || this.#laws.causes.some(({ message }) => message === 'the commit broke')) return
    const mark = nextMarks(this.#book, this.#laws.lookedUntil).find((mark) => this.#isEarned(mark))
    if (mark) this.#book.break('a checkpoint is committed as soon as it may be', `checkpoint ${mark.id} is not`)
  }

  #isEarned(mark: Mark): boolean {
    let at = this.#doneUpTo.get(mark) ?? 0
    while (at < mark.before.length && this.#book.isDone(mark.before[at]!)) at++
    this.#doneUpTo.set(mark, at)
    return at === mark.before.length
  }

  /** Where everything that is open was lost nothing is waited for but what is under way. */
  #checkLosses(): void {
    const { lost, losses, open } = this.#book
    const kept = losses.filter(({ settled }) => settled === 0)
    if (kept.length === 0 || this.#laws.attempts.inFlight > 0 || this.#laws.rejects.size > 0) return
    if (open.some(({ track, isDropped }) => !lost.has(track) && isDropped !== true)) return
    this.#book.break('a lost track is let go at once', `${kept.map(({ track }) => track).join()} are not`)
  }

  /** Where all that is open is revoked, attempts are made, or it is the guard that holds it. */
  #checkLeaves(): void {
    const { leaves, open } = this.#book
    const { attempts, rejects, committing } = this.#laws
    const kept = leaves.filter(({ settled }) => settled === 0)
    if (kept.length === 0 || attempts.inFlight > 0 || rejects.size > 0 || committing) return
    if (open.some((fact) => !this.#isElsewhere(fact))) return
    const from = Math.max(...kept.map((leave) => leave.from), attempts.lastEnd, attempts.heldUntil, this.#clock.wokeAt)
    const within = attempts.retrying.size > 0 ? PROBE_MS + this.#slack : this.#slack
    if (this.#clock.time > from + within)
      this.#book.break(
        'a track that leaves waits for no guard',
        `${kept.map(({ track }) => track).join()} since ${from}`,
      )
  }

  #checkGrace(): void {
    const { limits } = this.#history
    const { attempts, stoppedAt } = this.#laws
    const late = this.#slack + attempts.delayedPauseMs
    const until = Math.max(stoppedAt + limits.graceMs, this.#clock.wokeAt) + this.#commitMs() + late
    if (this.#clock.time > until) this.#book.break('a stopped run ends within its grace', `stopped at ${stoppedAt}`)
  }

  #commitMs(): number {
    return (this.#history.commit.ms + this.#history.clock.lateMs) * this.#book.script.marks.length
  }

  /** How long a body may wait for more points while a permit is free. */
  get #lingerMs(): number {
    const { lingerMs, maxWaitMs } = this.#history.limits
    return this.#laws.attempts.hadManySmall && lingerMs > 0 ? Math.max(lingerMs, maxWaitMs) : lingerMs
  }

  #checkLingering(): void {
    const { attempts } = this.#laws
    const { permits, clock } = this.#history
    const now = this.#clock.time
    // how many of its permits are idle, the engine alone knows, unless they are fixed or all of them are
    const isBusy =
      permits.limit === undefined
        ? attempts.inFlight + attempts.retrying.size > 0
        : attempts.inFlight >= permits.limit || attempts.retrying.size >= permits.limit
    if (isBusy || permits.perSecond !== undefined) return
    const within = this.#lingerMs + 2 * clock.lateMs + attempts.spacingMs + ROUNDING_MS
    // the process may have stood still when it was about to look at what had come; a rate is from attempt to attempt
    const pacedAt = permits.limit === undefined ? attempts.lastBegin : -Infinity
    const lookedAt = Math.max(this.#clock.wokeAt, attempts.heldUntil, pacedAt)
    for (const { fact, since } of this.#free())
      if (Math.max(since, lookedAt) + within < now)
        this.#book.break('nothing lingers while a permit is idle', `record ${fact.v} since ${since}, now ${now}`)
  }

  /** Whatever happened: once nothing goes wrong any more, the next is settled within a probe's time and an attempt's. */
  #checkRecovery(): void {
    const { attempts, progressAt } = this.#laws
    const { service } = this.#history
    const now = this.#clock.time
    const since = Math.max(this.#calmFrom, progressAt, attempts.heldUntil, this.#clock.wokeAt)
    const within = PROBE_MS + service.latencyMs + this.#lingerMs + this.#slack
    if (now < since + within) return
    for (const fact of this.#book.open) {
      if (this.#isElsewhere(fact)) continue
      const fence = fact.fence === undefined ? undefined : attempts.fence(fact.fence)
      const free = Math.max(since, fact.arrivedAt!, fence ? fence.guardedUntil + attempts.delayedPauseMs : since)
      if (now > free + within)
        this.#book.break('it recovers when the service does', `record ${fact.v}, no progress since ${progressAt}`)
    }
  }

  /** It is not for the service, or not any more. */
  #isElsewhere(fact: Fact): boolean {
    return fact.table < 0 || fact.isDiverted === true || fact.isDropped === true || this.#book.isUnassigned(fact.track)
  }

  /** What may be sent now for the first time, and since when. */
  *#free(): Generator<{ readonly fact: Fact; readonly since: number }> {
    const seen = new Set<string>()
    const { attempts } = this.#laws
    for (const fact of this.#book.open) {
      if (this.#isElsewhere(fact) || attempts.isOnTrial(fact)) continue
      if (fact.fence === undefined) {
        if (fact.sentAt === undefined) yield { fact, since: fact.arrivedAt! }
        continue
      }
      if (seen.has(fact.fence)) continue
      seen.add(fact.fence)
      const fence = this.#laws.attempts.fence(fact.fence)
      const { delayedPauseMs } = this.#laws.attempts
      if (fence.unresolved || this.#clock.time <= fence.guardedUntil + delayedPauseMs) continue
      yield { fact, since: Math.max(fact.arrivedAt!, fence.freeAt) }
    }
  }
}

/** The checkpoints that nothing uncommitted stands before, of those looked at before a time. */
export function nextMarks(book: Book, before: number): Mark[] {
  const waiting = new Set<Scope>()
  const next: Mark[] = []
  for (const mark of book.script.marks) {
    if ((mark.arrivedAt ?? Infinity) >= before || mark.committed || book.isForgotten(mark)) continue
    if (![...waiting].some((scope) => areOrdered(scope, mark.scope))) next.push(mark)
    waiting.add(mark.scope)
  }
  return next
}
