// What must hold between the engine, its source and its rejects in every history, noticed the moment it does not. Sees
// only what passes between them; knows nothing of how the engine works.

import type { ErrorKind } from '../../src/core/errors.ts'
import type { Counts, Rejected } from '../../src/core/types.ts'
import { AttemptLaws } from './attempt-laws.ts'
import { entryInWords, inWords, type Book } from './book.ts'
import type { History } from './history.ts'
import { areOrdered, type Closing, type Entry, type Fact, type Leave, type Loss, type Mark } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A service is down of which no attempt came to a good end for so long. */
const DOWN_MS = 5000
/** Superseded versions that a reject names. */
const NAMED = 10

/** Why a run throws: a part of the message, and the error's kind. */
export interface Cause {
  readonly message: string
  readonly kind: ErrorKind
}

export class Laws {
  readonly book: Book
  readonly attempts: AttemptLaws
  /** Why the run must throw. */
  readonly causes: Cause[] = []
  /** Why it may. */
  readonly allowedFailures: Cause[] = []
  terminated = false
  /** Since when no more of the input is taken. */
  closedAt = Infinity
  /** Since when nothing new is looked at. */
  stoppedAt = Infinity
  /** When a record was last settled, or an attempt was no failure of the service. */
  progressAt = -Infinity
  committing: Mark | undefined
  /** Records whose rejects are being made durable. */
  readonly rejects = new Set<Fact>()
  /** The run has ended. */
  isOver = false
  readonly #history: History
  readonly #clock: VirtualClock
  #failureAllowedAt = Infinity

  /** @param ceiling of the permits the engine finds out itself */
  constructor(history: History, book: Book, clock: VirtualClock, ceiling: number) {
    this.#history = history
    this.book = book
    this.#clock = clock
    this.attempts = new AttemptLaws(history, this, clock, ceiling)
  }

  /** Something happened for which the run must throw.
   *  @param stops whether nothing more may be sent either */
  cause(message: string, stops: boolean, kind: ErrorKind): void {
    this.book.note(() => `cause: ${message}`)
    this.causes.push({ message, kind })
    if (stops) this.stoppedAt = Math.min(this.stoppedAt, this.#clock.time)
  }

  /** Something happened for which it may throw. */
  allowFailure(message: string, kind: ErrorKind): void {
    this.allowedFailures.push({ message, kind })
    this.#failureAllowedAt = Math.min(this.#failureAllowedAt, this.#clock.time)
  }

  /** Everything that came before was looked at by the engine. */
  get lookedUntil(): number {
    return Math.min(this.stoppedAt, this.#failureAllowedAt, this.closedAt)
  }

  sigterm(): void {
    this.book.note(() => 'SIGTERM')
    this.terminated = true
    this.stoppedAt = Math.min(this.stoppedAt, this.#clock.time)
  }

  /** The next chunk is asked for. */
  pulled(): void {
    const { script } = this.book
    let held = 0
    for (const fact of this.book.open) if (this.book.isHeld(fact)) held += fact.text.length
    for (const mark of script.marks)
      if (mark.arrivedAt !== undefined && !mark.committed && mark !== this.committing && !this.book.isForgotten(mark))
        held += mark.bytes
    if (held >= this.#history.limits.bufferBytes)
      this.book.break('nothing is read while the budget is spent', `${held} bytes`)
  }

  yielded(entries: readonly Entry[]): void {
    this.book.note(() => `chunk: ${entries.map((entry) => entryInWords(entry)).join(', ')}`)
    this.book.yielded(entries)
  }

  settled(closing: Closing): void {
    this.book.note(() => `track ${closing.track} complete is settled`)
    closing.settled++
    const open = closing.before.filter((fact) => fact.isDropped !== true && !this.book.isDone(fact))
    if (closing.settled > 1 || open.length > 0)
      this.book.break(
        'a closed track is settled once, with nothing of it open',
        `track ${closing.track}: ${inWords(open)}`,
      )
  }

  /** Tracks are taken away.
   *  @returns those the engine is to be told of */
  lost(tracks: readonly number[]): readonly Loss[] {
    if (this.isOver) return []
    this.book.note(() => `tracks ${tracks.join()} are lost`)
    return this.book.lose(tracks)
  }

  /** Of a lost track what is not in flight is forgotten, the stand-ins of what is diverted too. */
  letGo(loss: Loss): void {
    this.book.note(() => `track ${loss.track} is let go`)
    loss.settled++
    const open = this.book.open.filter(
      ({ track, isInFlight, standsFor }) => track === loss.track && isInFlight === true && !standsFor,
    )
    if (loss.settled > 1 || open.length > 0)
      this.book.break('a lost track is let go once, with nothing of it in flight', `${loss.track}: ${inWords(open)}`)
  }

  /** Tracks are revoked.
   *  @returns those the engine is to be told of */
  given(tracks: readonly number[]): readonly Leave[] {
    if (this.isOver) return []
    this.book.note(() => `tracks ${tracks.join()} are revoked`)
    const leaves = this.book.give(tracks)
    this.lookAtLeaves()
    return leaves
  }

  /** Nobody waits for a service that is down, nor for the guard, nor in a run that fails. */
  lookAtLeaves(): void {
    const { failingSince, guardedUntil, delayedPauseMs } = this.attempts
    const isDown = failingSince !== undefined && this.#clock.time - failingSince >= DOWN_MS - delayedPauseMs - 1
    const isFailing = this.causes.length + this.allowedFailures.length > 0 || this.stoppedAt < Infinity
    for (const leave of this.book.leaves)
      if (leave.settled === 0 && (isDown || isFailing || guardedUntil + delayedPauseMs >= leave.from))
        leave.isCutShort = true
  }

  /** A track that was revoked has left: what was acknowledged of it is committed. */
  left(leave: Leave): void {
    const { book } = this
    book.note(() => `track ${leave.track} has left`)
    this.lookAtLeaves()
    leave.settled++
    const open = book.open.filter(({ track, isInFlight }) => track === leave.track && isInFlight === true)
    if (leave.settled > 1 || open.some(({ standsFor }) => !standsFor))
      book.break('a track leaves once, with nothing of it in flight', `${leave.track}: ${inWords(open)}`)
    if (leave.isCutShort) return
    const committed = new Set(leave.marks.findLast((mark) => mark.committed)?.before)
    const covered = leave.marks.at(-1)?.before ?? []
    const again = covered.filter((fact) => fact.done !== 'no' && !committed.has(fact))
    if (again.length > 0) book.break('a track that leaves in good order repeats nothing acknowledged', inWords(again))
  }

  commitBegins(mark: Mark, counts: Counts): void {
    const { book } = this
    book.note(() => `commit ${mark.id} ${JSON.stringify(counts)}`)
    if (this.committing) book.break('commits come one after another', `checkpoint ${mark.id} overlaps`)
    this.committing = mark
    const early = mark.before.filter((fact) => !book.isDone(fact))
    if (early.length > 0) book.break('no early checkpoint', `${mark.id} with ${inWords(early)} open`)
    const passed = book.script.marks.find(
      ({ id, scope, committed }) => id < mark.id && !committed && areOrdered(scope, mark.scope),
    )
    if (mark.committed || passed)
      book.break('checkpoints in order', `${mark.id} before ${passed?.id ?? 'itself again'}`)
    if (typeof mark.scope === 'number' && book.lost.has(mark.scope))
      book.break('nothing of a lost track is committed', `checkpoint ${mark.id}`)
    this.#checkCounts(mark, counts)
  }

  commitEnds(mark: Mark): void {
    this.committing = undefined
    mark.committed = true
  }

  #checkCounts(mark: Mark, { written, rejected, superseded }: Counts): void {
    const refused = mark.covers.filter(({ done }) => done === 'rejected').length
    const all = mark.covers.length
    // whose shares a track that is gone took along is not told
    if (written + rejected !== all || (!this.book.hasGone && rejected !== refused))
      this.book.break(
        'each record is counted once',
        `${mark.id}: ${written} + ${rejected}, not ${all - refused} + ${refused}`,
      )
    // neither written nor refused itself
    const merged = mark.covers.filter(({ done }) => done === 'no').length
    if (!this.book.hasGone && superseded !== merged)
      this.book.break('each superseded record is counted once', `${mark.id}: ${superseded}, not ${merged}`)
  }

  rejecting(fact: Fact): void {
    this.book.note(() => `reject ${fact.v}`)
    if (fact.table >= 0 && !fact.refused)
      this.book.break('only what the service refuses is rejected', `record ${fact.v}`)
  }

  /** Its reject says which it superseded. */
  naming({ origin, superseded, supersededAt }: Rejected<Fact>): void {
    const { script } = this.book
    const older = this.book.standsFor(origin, superseded).slice(0, -1).toReversed()
    const named = supersededAt.map((place) => place.origin)
    const isDropped = ({ track }: Fact): boolean => origin.lostBefore?.includes(track) === true
    // what was dropped with its track before it was sent is none of them, nor what was older than the ten before
    const isRight = !this.book.hasGone
      ? isEqual(named, older.slice(0, NAMED))
      : named.length <= Math.min(NAMED, superseded) &&
        (this.book.isUnassigned(origin.track) || !named.some(isDropped)) &&
        isEqual(
          named,
          older.filter((version) => named.includes(version)),
        )
    if (!isRight || supersededAt.some(({ track, origin: version }) => track !== script.tracks[version.track]))
      this.book.break(
        'a reject names the newest versions it superseded',
        `${inWords(named)} for ${origin.v}, superseded ${superseded}: ${inWords(older)}`,
      )
  }

  /** The reject is durable. */
  rejected(fact: Fact, superseded: number): void {
    this.book.note(() => `rejected ${fact.v}, superseded ${superseded}`)
    this.#resolve(this.book.standsFor(fact, superseded))
  }

  /** The run is to fail for it: what was taken before is delivered. */
  failing(fact: Fact, superseded: number): void {
    for (const version of this.book.standsFor(fact, superseded)) version.isDropped = true
    this.cause('a record is rejected', false, 'system')
    this.closedAt = Math.min(this.closedAt, this.#clock.time)
    this.attempts.drop(fact)
  }

  /** Others are delivered in its place. */
  diverted(fact: Fact, versions: readonly Fact[], standIns: readonly Fact[]): void {
    this.book.note(() => `diverted ${fact.v}: ${inWords(standIns)}`)
    for (const standIn of standIns) this.book.arrive(standIn)
    for (const version of versions) version.isDiverted = true
    this.attempts.drop(fact)
  }

  /** A stand-in is delivered. */
  stoodIn({ standsFor }: Fact): void {
    if (standsFor?.isLast === true) this.#resolve(standsFor.versions)
  }

  #resolve(versions: readonly Fact[]): void {
    for (const version of versions) this.attempts.resolve(version, 'rejected')
  }
}

function isEqual(some: readonly Fact[], others: readonly Fact[]): boolean {
  return some.length === others.length && some.every((fact, index) => fact === others[index])
}
