// The service as the engine may find it, seen through the client's own reading of answers: slow, throttling, failing
// before or after it stored, answering by halves or not at all and storing later, restarting. What it stores, and when,
// it tells the laws. Knows nothing of what the engine should do about it.

import type { Outcome, Request, Transport } from '../../src/core/types.ts'
import { targetOf } from '../../src/service/http/answer.ts'
import type { Engine } from './engine.ts'
import { answer, EPOCH, failure, hinted } from './exchanges.ts'
import type { Exchange } from './exchanges.ts'
import { FATES, isAmbiguous, isAnswered } from './fates.ts'
import type { Answered, Fate, Way } from './fates.ts'
import type { History } from './history.ts'
import type { Laws } from './laws.ts'
import { LeavingBodies } from './leaving-bodies.ts'
import type { Random } from './random.ts'
import { readRequest } from './read-request.ts'
import type { Fact, Script } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { Weather } from './weather.ts'

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
  fate: Fate
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
  readonly #weather: Weather
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
    this.#weather = new Weather(history.service, random)
    this.#begin = clock.time
    this.#leaving = new LeavingBodies(clock, laws.book)
    for (const { kind, from } of history.service.spells)
      if (kind === 'restarting' && !this.#weather.isCalm(from)) clock.at(from, () => this.#restart())
  }

  async send(request: Request, signal: AbortSignal): Promise<Outcome> {
    const { attempts, book } = this.#laws
    const facts = readRequest(request, this.#script)
    if (typeof facts === 'string') {
      book.break('a request is a valid JSON array of the points as given', facts)
      return { status: 'delivered' }
    }
    attempts.sent(facts, request)
    const way = this.#weather.way(this.#now)
    if (way === 'throws') {
      attempts.broke(facts)
      throw new Error('the transport broke')
    }
    const arrived = this.#leaving.leave(request.body, this.#history.service.timeoutMs)
    const { exchange, isAmbiguous, pausedUntil } = await this.#attempt(facts, request, way, signal)
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

  #attempt(facts: readonly Fact[], request: Request, way: Way, signal: AbortSignal): Promise<End> {
    return new Promise((resolve) => {
      const life = new AbortController()
      const visit: Visit = {
        facts,
        refusal: this.#refusal(facts, request),
        fate: FATES[way],
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
      if (visit.fate.end === 'refused')
        this.#later(visit, this.#weather.wayMs(this.#now), () => this.#giveUp(visit, failure('refused', false)))
      else if (visit.fate.end !== 'unreachable')
        this.#clock.at(this.#weather.wayMs(this.#now), () => this.#arrive(visit))
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
    const turnedAway = this.#weather.turnedAway(this.#now)
    if (turnedAway) visit.fate = FATES[turnedAway]
    const workMs = turnedAway ? 0 : this.#weather.workMs(this.#now, this.#working.size)
    this.#working.add(visit)
    this.#clock.at(workMs, () => this.#decide(visit))
  }

  #decide(visit: Visit): void {
    if (!this.#working.delete(visit) || visit.isOver) return
    visit.isDone = true
    const { fate, facts, refusal } = visit
    if (refusal && fate.end === 'answered' && fate.body === 'stored')
      return this.#later(visit, this.#weather.wayMs(this.#now), () => this.#end(visit, refusal))
    if (!refusal && fate.body === 'stored') this.#laws.attempts.stored(facts)
    if (fate.end === 'silent' || fate.end === 'cut-silent') return
    const exchange = isAnswered(fate) ? this.#answer(fate) : failure('reset', true, fate.stale)
    this.#later(visit, this.#weather.wayMs(this.#now), () => this.#end(visit, exchange))
  }

  #answer(fate: Answered): Exchange {
    const ends = { answered: 'whole', cut: 'lost', 'cut-silent': 'timeout' } as const
    const hint = fate.hint && hinted(fate.hint, this.#random.below(5), this.#clock.time)
    return answer(fate.status, ends[fate.end], hint, fate.page)
  }

  #timeOut(visit: Visit): void {
    const { fate } = visit
    if (fate.end === 'cut-silent' && visit.isDone) this.#end(visit, this.#answer(fate))
    else this.#giveUp(visit, failure('timeout', fate.end !== 'unreachable'))
  }

  /** No answer came; what becomes of a body on its way is up to chance. */
  #giveUp(visit: Visit, exchange: Exchange): void {
    if (!visit.isDone && visit.fate.body === 'stored')
      visit.fate = FATES[this.#random.pick({ silentLater: 1, silentNever: 1 })]
    this.#end(visit, exchange)
  }

  #end(visit: Visit, exchange: Exchange): void {
    if (visit.isOver) return
    visit.isOver = true
    this.#visits.delete(visit)
    this.#working.delete(visit)
    visit.life.abort()
    const { guardMs } = this.#history.limits
    const { facts, fate, refusal } = visit
    // a moment before the guard ends, for whole milliseconds are rounded up
    if (fate.body === 'later' && !refusal && guardMs > 0)
      this.#clock.at(this.#random.between(0, guardMs - 2), () => this.#laws.attempts.stored(facts))
    visit.resolve({
      exchange,
      isAmbiguous: exchange.kind === 'failure' ? exchange.begun : exchange !== refusal && isAmbiguous(fate),
      pausedUntil: exchange.kind === 'answer' ? exchange.pausedUntil?.(this.#clock.time) : undefined,
    })
  }

  /** Resets what is in flight; the client finds out at once, or when it wakes. */
  #restart(): void {
    this.#laws.book.note(() => 'the service restarts')
    this.#working.clear()
    for (const visit of this.#visits) {
      if (visit.fate.end === 'unreachable' || visit.fate.end === 'refused') continue
      this.#later(visit, 0, () => this.#giveUp(visit, failure('reset', true)))
    }
  }

  #refusal(facts: readonly Fact[], request: Request): Exchange | undefined {
    if (request.body.length > this.#history.service.maxBody) return answer(413, 'whole')
    const { refusedTable } = this.#history.service
    return facts.some(({ poison, table }) => poison || table === refusedTable) ? answer(400, 'whole') : undefined
  }
}
