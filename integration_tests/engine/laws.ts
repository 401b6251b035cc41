// What must hold in every history, noticed the moment it does not. Sees only what passes between the engine and the
// four things it is given; knows nothing of how the engine works.

import type { Counts, Outcome, Request } from '../../src/core/types.ts'
import { entryInWords, inWords } from './book.ts'
import type { Book } from './book.ts'
import type { History } from './history.ts'
import type { Closing, Entry, Fact, Mark } from './script.ts'

/** What a key's newer values wait for. */
interface Fence {
  /** Sent and not yet answered for good. */
  unresolved: Fact | undefined
  inFlight: boolean
  /** No newer value before this. */
  guardedUntil: number
  /** Since when the next may go. */
  freeAt: number
  lastStored: number
}

export class Laws {
  readonly book: Book
  /** Why the run must throw. */
  readonly causes: string[] = []
  /** Why it may. */
  readonly excuses: string[] = []
  terminated = false
  /** Since when nothing new is looked at. */
  stoppedAt = Infinity
  readonly #history: History
  readonly #now: () => number
  readonly #fences = new Map<string, Fence>()
  readonly #retrying = new Set<string>()
  readonly #firstSends = new Map<number, number>()
  #inFlight = 0
  #pausedUntil = -Infinity
  #excusedAt = Infinity
  #committing: Mark | undefined

  constructor(history: History, book: Book, now: () => number) {
    this.#history = history
    this.book = book
    this.#now = now
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Something happened for which the run must throw.
   *  @param stops whether nothing more may be sent either */
  cause(message: string, stops: boolean): void {
    this.book.note(() => `cause: ${message}`)
    this.causes.push(message)
    if (stops) this.stoppedAt = Math.min(this.stoppedAt, this.#now())
  }

  /** Something happened for which it may throw. */
  excuse(message: string): void {
    this.excuses.push(message)
    this.#excusedAt = Math.min(this.#excusedAt, this.#now())
  }

  /** Everything that came before was looked at by the engine. */
  get lookedUntil(): number {
    return Math.min(this.stoppedAt, this.#excusedAt)
  }

  sigterm(): void {
    this.book.note(() => 'SIGTERM')
    this.terminated = true
    this.stoppedAt = Math.min(this.stoppedAt, this.#now())
  }

  // ---- source

  /** The next chunk is asked for. */
  pulled(): void {
    const { script } = this.book
    let held = 0
    for (const fact of script.facts) if (this.book.isHeld(fact)) held += fact.text.length
    for (const mark of script.marks)
      if (mark.arrivedAt !== undefined && !mark.committed && mark !== this.#committing && !this.book.isForgotten(mark))
        held += mark.bytes
    if (held >= this.#history.limits.bufferBytes)
      this.book.break('nothing is read while the budget is spent', `${held} bytes`)
  }

  yielded(entries: readonly Entry[]): void {
    this.book.note(() => `chunk: ${entries.map((entry) => entryInWords(entry)).join(', ')}`)
    this.book.yielded(entries)
  }

  settled(closing: Closing): void {
    this.book.note(() => `track ${closing.track} ${closing.how} is settled`)
    closing.settled++
    const open = closing.before.filter(
      (fact) => (closing.how === 'complete' || fact.sentAt !== undefined) && !this.book.isDone(fact),
    )
    if (closing.settled > 1 || open.length > 0)
      this.book.break(
        'a closed track is settled once, with nothing of it open',
        `track ${closing.track}: ${inWords(open)}`,
      )
  }

  commitBegins(mark: Mark, counts: Counts): void {
    const { book } = this
    book.note(() => `commit ${mark.id} ${JSON.stringify(counts)}`)
    if (this.#committing) book.break('commits come one after another', `checkpoint ${mark.id} overlaps`)
    this.#committing = mark
    const early = mark.before.filter((fact) => !book.isDone(fact))
    if (early.length > 0) book.break('no early checkpoint', `${mark.id} with ${inWords(early)} open`)
    const passed = book.script.marks.find(
      ({ id, scope, committed }) =>
        id < mark.id && !committed && (scope === mark.scope || scope === 'all' || mark.scope === 'all'),
    )
    if (mark.committed || passed)
      book.break('checkpoints in order', `${mark.id} before ${passed?.id ?? 'itself again'}`)
    // the engine hears of it a moment after it was yielded
    if (mark.scope !== 'all' && (book.abandoned.get(mark.scope) ?? Infinity) < this.#now())
      book.break('nothing of an abandoned track is committed', `checkpoint ${mark.id}`)
    this.#checkCounts(mark, counts)
  }

  commitEnds(mark: Mark): void {
    this.#committing = undefined
    mark.committed = true
  }

  #checkCounts(mark: Mark, { written, rejected }: Counts): void {
    const refused = mark.covers.filter(({ done }) => done === 'rejected').length
    const all = mark.covers.length
    // whose shares an abandoned track took along is not told
    if (written + rejected !== all || (this.book.abandoned.size === 0 && rejected !== refused))
      this.book.break(
        'each record is counted once',
        `${mark.id}: ${written} + ${rejected}, not ${all - refused} + ${refused}`,
      )
  }

  // ---- service

  sent(facts: readonly Fact[], { body }: Request): void {
    const { book } = this
    const now = this.#now()
    book.note(() => `send ${inWords(facts)}`)
    this.#inFlight++
    this.#retrying.delete(nameOf(facts))
    const { limits, permits } = this.#history
    if (facts.length > limits.maxPoints || (facts.length > 1 && body.length > limits.maxBytes))
      book.break('requests keep their limits', `${facts.length} points, ${body.length} bytes`)
    if (this.#inFlight > permits.limit) book.break('attempts keep to the permits', `${this.#inFlight} in flight`)
    if (now < this.#pausedUntil) book.break('Retry-After pauses the origin', `until ${this.#pausedUntil}`)
    if (this.terminated || now > this.stoppedAt) book.break('nothing is sent once the run is stopped', inWords(facts))
    for (const fact of facts) {
      if (!this.#firstSends.has(fact.v)) this.#firstSends.set(fact.v, now)
      fact.sentAt = now
      if (fact.fence !== undefined) this.#occupy(fact, this.#fence(fact.fence), now)
      if (fact.done !== 'no') book.break('what is settled is not sent again', `record ${fact.v}`)
    }
  }

  #occupy(fact: Fact, fence: Fence, now: number): void {
    if (fence.inFlight) this.book.break('one key is never in flight twice', `record ${fact.v}`)
    if (fence.unresolved && fence.unresolved !== fact)
      this.book.break('a newer value waits for the older one and its retries', `${fact.v} for ${fence.unresolved.v}`)
    if (!fence.unresolved && now < fence.guardedUntil) this.book.break('the late-write guard', `record ${fact.v}`)
    fence.inFlight = true
    fence.unresolved = fact
  }

  /** What the engine is about to be told. */
  answered(facts: readonly Fact[], outcome: Outcome): void {
    const now = this.#now()
    this.book.note(() => `answer ${inWords(facts)}: ${JSON.stringify(outcome)}`)
    this.#inFlight--
    const alone = facts.length === 1
    const ambiguous = outcome.status === 'retry' && outcome.ambiguous
    for (const fact of facts) {
      const fence = fact.fence === undefined ? undefined : this.#fence(fact.fence)
      if (fence) fence.inFlight = false
      if (fence && ambiguous) fence.guardedUntil = now + this.#history.limits.guardMs
      if (outcome.status === 'delivered') this.#resolve(fact, 'written')
      fact.refused = alone && (outcome.status === 'refused' || outcome.status === 'too-large')
    }
    if (outcome.status === 'refused' && !alone) this.cause(outcome.reason, true)
    if (outcome.status === 'stop') this.cause(outcome.error.message, true)
    if (outcome.status !== 'retry') return
    this.#retrying.add(nameOf(facts))
    if (outcome.congestion && outcome.afterMs !== undefined)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)
    const first = Math.min(...facts.map(({ v }) => this.#firstSends.get(v)!))
    if (now + Math.max(outcome.afterMs ?? 0, 30_000) > first + this.#history.limits.retryForMs)
      this.excuse('retry_for_seconds')
  }

  stored(facts: readonly Fact[]): void {
    this.book.note(() => `stored ${inWords(facts)}`)
    for (const fact of facts) {
      this.book.store(fact)
      if (fact.fence === undefined) continue
      const fence = this.#fence(fact.fence)
      if (fact.v < fence.lastStored)
        this.book.break('order per key', `record ${fact.v} arrives after ${fence.lastStored}`)
      fence.lastStored = fact.v
    }
  }

  // ---- rejects

  rejecting(fact: Fact): void {
    this.book.note(() => `reject ${fact.v}`)
    if (fact.table >= 0 && !fact.refused)
      this.book.break('only what the service refuses is rejected', `record ${fact.v}`)
  }

  /** The reject is durable. */
  rejected(fact: Fact, superseded: number): void {
    this.book.note(() => `rejected ${fact.v}, superseded ${superseded}`)
    for (const version of this.book.standsFor(fact, superseded)) this.#resolve(version, 'rejected')
    if (fact.table < 0) this.book.passRejected()
  }

  // ---- time

  /** Everybody waits: whatever could have been sent is being sent. */
  idle(): void {
    const now = this.#now()
    const { permits, limits } = this.#history
    if (now >= this.stoppedAt || this.#inFlight >= permits.limit || this.#retrying.size >= permits.limit) return
    if (permits.perSecond !== undefined || now < this.#pausedUntil || this.excuses.length > 0) return
    const seen = new Set<string>()
    for (const fact of this.book.script.facts) {
      if (fact.arrivedAt === undefined || fact.table < 0 || this.book.abandoned.has(fact.track)) continue
      if (this.book.isDone(fact) || (fact.fence !== undefined && seen.has(fact.fence))) continue
      if (fact.fence !== undefined) seen.add(fact.fence)
      const fence = fact.fence === undefined ? undefined : this.#fence(fact.fence)
      if (fence ? fence.unresolved || now <= fence.guardedUntil : fact.sentAt !== undefined) continue
      const since = Math.max(fact.arrivedAt, fence?.freeAt ?? 0)
      if (since + limits.lingerMs < now)
        this.book.break('nothing lingers while a permit is idle', `record ${fact.v} since ${since}, now ${now}`)
    }
  }

  #fence(name: string): Fence {
    let fence = this.#fences.get(name)
    if (!fence) {
      fence = { unresolved: undefined, inFlight: false, guardedUntil: -Infinity, freeAt: -Infinity, lastStored: -1 }
      this.#fences.set(name, fence)
    }
    return fence
  }

  #resolve(fact: Fact, how: 'written' | 'rejected'): void {
    fact.done = how
    const fence = fact.fence === undefined ? undefined : this.#fence(fact.fence)
    if (fence?.unresolved !== fact) return
    fence.unresolved = undefined
    fence.freeAt = Math.max(this.#now(), fence.guardedUntil)
  }
}

function nameOf(facts: readonly Fact[]): string {
  return facts.map(({ v }) => v).join()
}
