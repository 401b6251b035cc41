// The service as the engine may find it, seen through the client's own reading of answers: slow, throttling, failing
// before or after it stored, answering by halves or not at all and storing later, restarting. What it stores, and when,
// it reports to the laws.

import type { Book } from './book.ts'
import type { Engine } from './engine.ts'
import { EPOCH, answer, failure, hinted, type Exchange } from './exchanges.ts'
import { FaultSchedule } from './fault-schedule.ts'
import type { History } from './history.ts'
import type { Laws } from './laws.ts'
import type { Random } from './random.ts'
import type { Fact, Script } from './script.ts'
import { SERVICE_OUTCOMES, isAmbiguous, isAnswered } from './service-outcomes.ts'
import type { Answered, ServiceOutcome, Way } from './service-outcomes.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { Outcome, Request, Transport } from '../../src/core/types.ts'
import { targetOf } from '../../src/service/http/answer.ts'

const TARGET = targetOf({
  baseUrl: 'https://import.example.com',
  addressOption: 'import_url',
  clientId: 7,
  scrub: (text) => text,
})

/** How an attempt ended, as it truly was. */
export interface End {
  readonly exchange: Exchange
  readonly isAmbiguous: boolean
  /** The origin asks for no request before. */
  readonly pausedUntil: number | undefined
}

/** An attempt under way. */
interface Visit {
  readonly facts: readonly Fact[]
  readonly refusal: Exchange | undefined
  outcome: ServiceOutcome
  /** For both: the service has done what it does to the body; the client waits no more. */
  isDone: boolean
  isOver: boolean
  readonly life: AbortController
  readonly resolve: (end: End) => void
}

export class ModelService implements Transport {
  readonly #history: History
  readonly #script: Script
  readonly #clock: VirtualClock
  readonly #laws: Laws
  readonly #random: Random
  readonly #engine: Engine
  readonly #schedule: FaultSchedule
  readonly #begin: number
  readonly #leaving: LeavingBodies
  readonly #visits = new Set<Visit>()
  /** At the service now. */
  readonly #working = new Set<Visit>()

  constructor(history: History, script: Script, clock: VirtualClock, laws: Laws, random: Random, engine: Engine) {
    this.#history = history
    this.#script = script
    this.#clock = clock
    this.#laws = laws
    this.#random = random
    this.#engine = engine
    this.#schedule = new FaultSchedule(history.service, random)
    this.#begin = clock.time
    this.#leaving = new LeavingBodies(clock, laws.book)
    for (const { kind, from } of history.service.spells)
      if (kind === 'restarting' && !this.#schedule.isCalm(from)) clock.at(from, () => this.#restart())
  }

  async send(request: Request, signal: AbortSignal): Promise<Outcome> {
    const { attempts, book } = this.#laws
    const facts = readRequest(request, this.#script)
    if (typeof facts === 'string') {
      book.break('a request is a valid JSON array of the points as given', facts)
      return { status: 'delivered' }
    }
    attempts.sent(facts, request)
    const way = this.#schedule.way(this.#now)
    if (way === 'throws') {
      attempts.broke(facts)
      throw new Error('the transport broke')
    }
    const arrived = this.#leaving.leave(request.body, this.#history.service.timeoutMs)
    const { exchange, isAmbiguous, pausedUntil } = await this.attempt(facts, request, way, signal)
    const outcome =
      exchange.kind === 'answer'
        ? this.#engine.classify(exchange, TARGET, EPOCH + this.#clock.time)
        : this.#engine.outcomeOf(exchange, TARGET)
    attempts.answered(facts, outcome, isAmbiguous, pausedUntil)
    arrived()
    return outcome
  }

  isQuiet(): boolean {
    return this.#leaving.isQuiet
  }

  get #now(): number {
    return this.#clock.time - this.#begin
  }

  protected attempt(facts: readonly Fact[], request: Request, way: Way, signal: AbortSignal): Promise<End> {
    return new Promise((resolve) => {
      const life = new AbortController()
      const visit: Visit = {
        facts,
        refusal: this.refusal(facts, request),
        outcome: SERVICE_OUTCOMES[way],
        isDone: false,
        isOver: false,
        life,
        resolve,
      }
      this.#visits.add(visit)
      const onAbort = (): void => this.#giveUp(visit, failure('aborted', true))
      signal.addEventListener('abort', onAbort, { once: true })
      life.signal.addEventListener('abort', () => signal.removeEventListener('abort', onAbort), { once: true })
      this.#later(visit, this.#history.service.timeoutMs, () => this.#timeOut(visit))
      if (visit.outcome.end === 'refused')
        this.#later(visit, this.#schedule.wayMs(this.#now), () => this.#giveUp(visit, failure('refused', false)))
      else if (visit.outcome.end !== 'unreachable')
        this.#clock.at(this.#schedule.wayMs(this.#now), () => this.#arrive(visit))
    })
  }

  /** The client's own timers; none once the attempt is over. */
  #later(visit: Visit, ms: number, call: () => void): void {
    void this.#clock.wait(ms, visit.life.signal).then(() => {
      if (!visit.isOver) call()
    })
  }

  #arrive(visit: Visit): void {
    if (visit.isOver) return
    const turnedAway = this.#schedule.turnedAway(this.#now)
    if (turnedAway) visit.outcome = SERVICE_OUTCOMES[turnedAway]
    const workMs = turnedAway ? 0 : this.#schedule.workMs(this.#now, this.#working.size)
    this.#working.add(visit)
    this.#clock.at(workMs, () => this.#decide(visit))
  }

  #decide(visit: Visit): void {
    if (!this.#working.delete(visit) || visit.isOver) return
    visit.isDone = true
    const { outcome, facts, refusal } = visit
    if (refusal && outcome.end === 'answered' && outcome.body === 'stored')
      return this.#later(visit, this.#schedule.wayMs(this.#now), () => this.#end(visit, refusal))
    if (!refusal && outcome.body === 'stored') this.#laws.attempts.stored(facts)
    if (outcome.end === 'silent' || outcome.end === 'cut-silent') return
    const exchange = isAnswered(outcome) ? this.#answer(outcome) : failure('reset', true, outcome.stale)
    this.#later(visit, this.#schedule.wayMs(this.#now), () => this.#end(visit, exchange))
  }

  #answer(outcome: Answered): Exchange {
    const ends = { answered: 'whole', cut: 'lost', 'cut-silent': 'timeout' } as const
    const hint = outcome.hint && hinted(outcome.hint, this.#random.below(5), this.#clock.time)
    return answer(outcome.status, ends[outcome.end], hint, outcome.page)
  }

  #timeOut(visit: Visit): void {
    const { outcome } = visit
    if (outcome.end === 'cut-silent' && visit.isDone) this.#end(visit, this.#answer(outcome))
    else this.#giveUp(visit, failure('timeout', outcome.end !== 'unreachable'))
  }

  /** No answer came; what becomes of a body on its way is up to chance. */
  #giveUp(visit: Visit, exchange: Exchange): void {
    if (!visit.isDone && visit.outcome.body === 'stored')
      visit.outcome = SERVICE_OUTCOMES[this.#random.pick({ silentLater: 1, silentNever: 1 })]
    this.#end(visit, exchange)
  }

  #end(visit: Visit, exchange: Exchange): void {
    if (visit.isOver) return
    visit.isOver = true
    this.#visits.delete(visit)
    this.#working.delete(visit)
    visit.life.abort()
    const { guardMs } = this.#history.limits
    const { facts, outcome, refusal } = visit
    // a moment before the guard ends, for whole milliseconds are rounded up
    if (outcome.body === 'later' && !refusal && guardMs > 0)
      this.#clock.at(this.#random.between(0, guardMs - 2), () => this.#laws.attempts.stored(facts))
    visit.resolve({
      exchange,
      isAmbiguous: exchange.kind === 'failure' ? exchange.begun : exchange !== refusal && isAmbiguous(outcome),
      pausedUntil: exchange.kind === 'answer' ? exchange.pausedUntil?.(this.#clock.time) : undefined,
    })
  }

  /** Resets what is in flight; the client finds out at once, or when it wakes. */
  #restart(): void {
    this.#laws.book.note(() => 'the service restarts')
    this.#working.clear()
    for (const visit of this.#visits) {
      if (visit.outcome.end === 'unreachable' || visit.outcome.end === 'refused') continue
      this.#later(visit, 0, () => this.#giveUp(visit, failure('reset', true)))
    }
  }

  protected refusal(facts: readonly Fact[], request: Request): Exchange | undefined {
    if (request.body.length > this.#history.service.maxBody) return answer(413, 'whole')
    const { refusedTable } = this.#history.service
    return facts.some(({ poison, table }) => poison || table === refusedTable) ? answer(400, 'whole') : undefined
  }
}

export const LAW = 'a body stays as it is until it has left and its outcome is there'
/** One in so many takes its time, each another one: not by chance, which is drawn for other things. */
const SLOW = 8
const STEP = (Math.sqrt(5) - 1) / 2

export class LeavingBodies {
  readonly #clock: VirtualClock
  readonly #book: Book
  #leaving = 0
  #count = 0

  constructor(clock: VirtualClock, book: Book) {
    this.#clock = clock
    this.#book = book
  }

  /** Nothing waits to leave. */
  get isQuiet(): boolean {
    return this.#leaving === 0
  }

  /** @param mostMs how long it may take, whatever its answer
   *  @returns to be called when its outcome is there */
  leave(body: Uint8Array, mostMs: number): () => void {
    const copy = Buffer.from(body)
    const compare = (): void => {
      if (!copy.equals(body)) this.#book.break(LAW, `${copy.toString()} became ${Buffer.from(body).toString()}`)
    }
    if (++this.#count % SLOW === 0) {
      this.#leaving++
      this.#clock.at(((this.#count * STEP) % 1) * mostMs, () => {
        compare()
        this.#leaving--
      })
    }
    return compare
  }
}

/** @returns the records in it, or what is wrong with it */
export function readRequest(request: Request, { facts, tables }: Script): readonly Fact[] | string {
  const text = Buffer.from(request.body).toString()
  let values: { v: number }[]
  try {
    values = JSON.parse(text) as { v: number }[]
  } catch (error) {
    return `${String(error)} in ${text}`
  }
  if (!Array.isArray(values) || values.length !== request.points)
    return `${request.points} points were announced, ${text} has others`
  const found = values.map(({ v }) => facts[v]!)
  let at = 1
  for (const [index, fact] of found.entries()) {
    while (text[at] === ' ') at++
    if (!text.startsWith(fact.text, at)) return `record ${fact.v} is not byte-equal in ${text}`
    at += fact.text.length
    while (text[at] === ' ') at++
    if (text[at] !== (index === found.length - 1 ? ']' : ',')) return `byte ${at} of ${text}`
    at++
  }
  const strange = found.find(({ table }) => tables[table]!.name !== request.table)
  return strange ? `record ${strange.v} is not of ${request.table}` : found
}
