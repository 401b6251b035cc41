// Plays one history of a world: at each point in time the next thing to happen is chosen from all that may.

import { Book, inWords } from '../book.ts'
import { checkEnd, checkPermits, checkTables } from '../end-laws.ts'
import type { Result } from '../end-laws.ts'
import { permitsOf } from '../engine.ts'
import type { Engine } from '../engine.ts'
import type { History } from '../history.ts'
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
import { LATE_MS, historyOf } from './worlds.ts'
import type { World } from './worlds.ts'

const MOST_STEPS = 2000

interface Event {
  readonly words: () => string
  readonly happen: () => void
}

export interface PlayedWorld {
  readonly broken: Book['broken']
  readonly trace: readonly string[]
}

export async function playWorld(engine: Engine, world: World, choices: Choices, traced = false): Promise<PlayedWorld> {
  const policy = choices.choose(world.policies, world.policies.length)
  const played = new WorldPlay(engine, world, historyOf(world, policy), traced)
  for (let step = 0; !played.isOver; step++) {
    const events = [...played.events()]
    if (events.length === 0 || step > MOST_STEPS)
      played.book.break('always progress', `${events.length} may happen after ${step} steps, and the run is not over`)
    else {
      const event = choices.choose(events, Math.max(1, played.coming))
      played.book.note(() => `── ${event.words()}`)
      event.happen()
    }
    await macrotask()
    played.look()
  }
  return { broken: played.book.broken, trace: played.book.trace ?? [] }
}

class WorldPlay {
  readonly book: Book
  /** Of the events, the first so many are what may come of the input. */
  coming = 0
  readonly #world: World
  readonly #clock = new SteppedClock()
  readonly #laws: Laws
  readonly #idle: IdleLaws
  readonly #source: ChosenSource
  readonly #service: ChosenService
  readonly #permits: ReturnType<typeof permitsOf>
  readonly #terminate = new AbortController()
  readonly #left: { -readonly [K in 'chunks' | 'faults' | 'takings' | 'ends' | 'lates']: World[K] }
  #result: Result | undefined

  constructor(engine: Engine, world: World, history: History, traced: boolean) {
    this.#world = world
    this.#left = { ...world }
    const clock = this.#clock
    const writer = new Writer()
    const script = openScript(history, writer, world.takings.length > 0)
    this.book = new Book(script, () => clock.time, traced)
    const laws = (this.#laws = new Laws(history, this.book, clock, history.permits.limit!))
    this.#source = new ChosenSource([history, script, clock, laws], writer, world.commits.length === 0)
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
    if (this.#result === 'complete') checkPermits(this.#laws, this.#permits, this.#clock.time)
    this.#service.end()
    this.#clock.end()
    if (this.#result === 'complete') checkTables(this.book)
  }

  /** What may happen now, the plainest first. */
  *events(): Generator<Event> {
    const input = [...this.#input()]
    this.coming = input.length
    yield* input
    yield* this.#commits()
    for (const { ring } of this.#clock.open) yield { words: () => 'a reject is durable', happen: ring }
    for (const visit of this.#service.visits)
      yield { words: () => `${inWords(visit.facts)}: ok`, happen: () => visit.end('ok') }
    yield* this.#time()
    if (this.#left.faults > 0) yield* this.#faults()
    yield* this.#takings()
  }

  *#input(): Generator<Event> {
    const { come } = this.#source
    if (!come || this.book.broken) return
    const left = this.#left
    for (const letter of left.chunks > 0 ? this.#world.letters : []) {
      const { words, after, most } = letter
      if (after !== undefined && !this.book.isGone(after)) continue
      if (most !== undefined && this.#count(words) >= most) continue
      yield {
        words: () => `${words} comes`,
        happen: () => {
          left.chunks--
          this.#came.push(words)
          come(letter)
        },
      }
    }
    yield { words: () => 'the input ends', happen: () => come('end') }
  }

  readonly #came: string[] = []

  #count(words: string): number {
    return this.#came.filter((came) => came === words).length
  }

  *#commits(): Generator<Event> {
    const { commit } = this.#source
    if (!commit) return
    for (const how of this.#world.commits) yield { words: () => `the commit ${how}`, happen: () => commit(how) }
  }

  *#faults(): Generator<Event> {
    for (const { facts, end } of this.#service.visits)
      for (const way of this.#world.ways)
        yield {
          words: () => `${inWords(facts)}: ${way} ${JSON.stringify(SERVICE_OUTCOMES[way])}`,
          happen: () => {
            this.#left.faults--
            end(way)
          },
        }
  }

  *#time(): Generator<Event> {
    const clock = this.#clock
    if (clock.isBehind) yield { words: () => 'it wakes up', happen: () => clock.ring() }
    else if (clock.deadline !== Infinity) {
      const pass = (): void => {
        clock.pass(0)
        clock.ring()
      }
      yield { words: () => 'time passes', happen: pass }
      if (this.#left.lates > 0)
        yield { words: () => 'time passes, and it has not woken up yet', happen: () => this.#oversleep() }
    }
  }

  #oversleep(): void {
    this.#left.lates--
    this.#clock.pass(LATE_MS)
  }

  *#takings(): Generator<Event> {
    const { takings, ends } = this.#left
    for (const taking of takings)
      yield {
        words: () => `tracks ${taking.tracks.join()} are ${taking.kind}`,
        happen: () => {
          this.#left.takings = takings.filter((other) => other !== taking)
          this.#source.take!(taking.kind, taking.tracks)
        },
      }
    for (const end of ends) {
      const { come } = this.#source
      if (end === 'the source breaks' && !come) continue
      yield {
        words: () => end,
        happen: () => {
          this.#left.ends = []
          if (end === 'the source breaks') return come!('breaks')
          this.#laws.sigterm()
          this.#terminate.abort()
        },
      }
    }
  }
}
