// Plays one history of a world: at each moment the next thing to happen is chosen from all that may.

import { Book, inWords } from '../book.ts'
import { checkEnd, checkPermits, checkTables, type Result } from '../end-laws.ts'
import { permitsOf, type Engine } from '../engine.ts'
import { IdleLaws } from '../idle-laws.ts'
import { Laws } from '../laws.ts'
import { ModelRejects } from '../model-rejects.ts'
import { macrotask, thrown } from '../play.ts'
import { Random } from '../random.ts'
import { Writer, openScript } from '../script.ts'
import { SERVICE_OUTCOMES } from '../service-outcomes.ts'
import type { Choices } from './choices.ts'
import { ChosenService } from './chosen-service.ts'
import { ChosenSource } from './chosen-source.ts'
import { SteppedClock } from './stepped-clock.ts'
import type { World } from './worlds.ts'

const MOST_STEPS = 2000
/** Longer than any backoff. */
const WHILE_MS = 40_000

type Event = readonly [happen: () => void, words: () => string]

/** @returns the law that was broken, if any, and what happened, if it is `traced` */
export async function playWorld(
  engine: Engine,
  world: World,
  choices: Choices,
  traced = false,
): Promise<Pick<Book, 'broken' | 'trace'>> {
  const policy = choices.choose(world.policies, world.policies.length)
  const rejects = { policy, ms: 0 }
  const played = new WorldPlay(engine, { ...world, history: { ...world.history, rejects } }, traced)
  for (let step = 0; !played.isOver; step++) {
    const input = played.input()
    const events = [...input, ...played.events()]
    if (events.length === 0 || step > MOST_STEPS)
      played.book.break('always progress', `${events.length} may happen after ${step} steps, and the run is not over`)
    else {
      const [happen, words] = choices.choose(events, Math.max(1, input.length))
      played.clock.tick()
      played.book.note(() => `── ${words()}`)
      happen()
    }
    await macrotask()
    played.look()
  }
  return played.book
}

class WorldPlay {
  readonly book: Book
  readonly clock = new SteppedClock()
  readonly #world: World
  readonly #laws: Laws
  readonly #idle: IdleLaws
  readonly #source: ChosenSource
  readonly #service: ChosenService
  readonly #permits: ReturnType<typeof permitsOf>
  readonly #terminate = new AbortController()
  /** Of the world's bounds. */
  readonly #left: { -readonly [K in 'chunks' | 'faults' | 'blows' | 'lates']: World[K] }
  #result: Result | undefined

  constructor(engine: Engine, world: World, traced: boolean) {
    const { history } = world
    this.#world = world
    this.#left = { ...world }
    const clock = this.clock
    const writer = new Writer()
    const script = openScript(history, writer, /given|lost/.test(world.blows.join()))
    this.book = new Book(script, () => clock.time, traced)
    const laws = (this.#laws = new Laws(history, this.book, clock, history.permits.limit!))
    this.#source = new ChosenSource([history, script, clock, laws], writer, world.commits === 'quick')
    this.#service = new ChosenService([history, script, clock, laws, new Random(0), engine], clock)
    this.#permits = permitsOf(engine, history.permits)
    const slow = { ...history, rejects: { ...history.rejects, ms: Infinity } }
    const running = engine.deliver(
      {
        source: this.#source,
        transport: this.#service,
        permits: this.#permits,
        rejects: new ModelRejects(slow, script, clock, laws),
        clock,
        limits: history.limits,
        tally: new engine.Tally(),
        hashSeed: 1,
      },
      this.#terminate.signal,
    )
    running.then(
      (how) => (this.#result = how),
      (error: unknown) => (this.#result = thrown(engine, error)),
    )
    this.#idle = new IdleLaws(history, laws, clock)
  }

  get isOver(): boolean {
    return this.#result !== undefined || this.book.broken !== undefined
  }

  /** Everybody waits. */
  look(): void {
    if (this.book.broken) return
    if (this.#result === undefined) return this.#idle.check()
    this.#laws.isOver = true
    checkEnd(this.#laws, this.#result)
    if (this.#result === 'complete') checkPermits(this.#laws, this.#permits, this.clock.time)
    this.#service.end()
    this.clock.end()
    if (this.#result === 'complete') checkTables(this.book)
  }

  /** What may come of the input now. */
  input(): readonly Event[] {
    const { come } = this.#source
    if (!come) return []
    const letters = this.#left.chunks > 0 ? this.#world.letters : []
    const open = letters.filter(({ after }) => after === undefined || this.book.isUnassigned(after))
    const letter = (one: (typeof letters)[number]): Event => [() => this.#count('chunks', come, one), () => one.words]
    return [...open.map(letter), [() => come('end'), () => 'the input ends']]
  }

  /** What else may happen now, the plainest first. */
  *events(): Generator<Event> {
    const { commit } = this.#source
    const { visits, accepted } = this.#service
    const { ways, commits } = this.#world
    if (commit) yield [() => commit('ends'), () => 'the commit ends']
    for (const { ring } of this.clock.open) yield [ring, () => 'a reject is durable']
    for (const { facts, end } of visits) yield [() => end('ok'), () => `${inWords(facts)} ends: ok`]
    yield* this.#time()
    for (const { facts, end } of this.#left.faults > 0 ? visits : [])
      for (const way of ways)
        if (!way.startsWith('refusal') || !facts.some((fact) => accepted.has(fact)))
          yield [
            () => this.#count('faults', end, way),
            () => `${inWords(facts)} ends: ${way} ${JSON.stringify(SERVICE_OUTCOMES[way])}`,
          ]
    if (commit && commits === 'breaking') yield [() => commit('breaks'), () => 'the commit breaks']
    for (const blow of this.#left.blows)
      if (blow !== 'broken' || this.#source.come) yield [() => this.#strike(blow), () => blow]
  }

  #count<T>(what: 'chunks' | 'faults' | 'lates', call: (value: T) => void, value: T): void {
    this.#left[what]--
    call(value)
  }

  *#time(): Generator<Event> {
    const { clock } = this
    const canWait = this.#left.lates > 0
    if (clock.deadline < Infinity) yield [() => this.#wake(), () => (clock.isBehind ? 'it wakes up' : 'time passes')]
    else if (canWait) yield [() => this.#count('lates', () => clock.idle(WHILE_MS), 0), () => 'a while passes']
    const { lateMs } = this.#world.history.clock
    if (clock.deadline < Infinity && canWait && !clock.isBehind)
      yield [() => this.#count('lates', () => clock.pass(lateMs), 0), () => 'it oversleeps']
  }

  /** Just before the deadline nothing may have been left lying. */
  #wake(): void {
    this.clock.pass(-1)
    this.#idle.check()
    this.clock.wake()
  }

  #strike(blow: string): void {
    this.#left.blows = this.#left.blows.filter((other) => other !== blow)
    if (blow === 'broken') return this.#source.come!('breaks')
    if (blow === 'SIGTERM') {
      this.#laws.sigterm()
      return this.#terminate.abort()
    }
    const [kind, tracks] = blow.split(':') as ['lost' | 'revoked', string]
    this.#source.take!(kind, tracks.split(',').map(Number))
  }
}
