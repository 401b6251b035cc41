// Plays one history through an engine in virtual time and says which law it broke, if any.

import { Book, type Broken } from './book.ts'
import { checkEnd, checkPermits, checkTables, type Result } from './end-laws.ts'
import { permitsOf, type Engine } from './engine.ts'
import type { History } from './history.ts'
import { IdleLaws } from './idle-laws.ts'
import { Laws } from './laws.ts'
import { ModelRejects } from './model-rejects.ts'
import { ModelService } from './model-service.ts'
import { Random } from './random.ts'
import { writeScript } from './script.ts'
import { ScriptedSource } from './scripted-source.ts'
import { VirtualClock } from './virtual-clock.ts'

const MOST_STEPS = 100_000
const never = new AbortController().signal

export interface Played {
  /** The first law broken. */
  readonly broken: Broken | undefined
  /** What happened, when it was asked for. */
  readonly trace: readonly string[]
  readonly records: number
  readonly attempts: number
  readonly virtualMs: number
  /** The same for the same history, on whatever machine. */
  readonly digest: number
}

export async function play(engine: Engine, history: History, traced = false): Promise<Played> {
  const random = new Random(history.seed)
  const clock = new VirtualClock(random, history.clock)
  const begin = clock.time
  const script = writeScript(history)
  const book = new Book(script, () => clock.time, traced)
  const laws = new Laws(history, book, clock, engine.LIMIT.ceiling)
  const terminate = new AbortController()
  if (history.sigtermAt !== undefined)
    void clock.wait(history.sigtermAt, never).then(() => {
      laws.sigterm()
      terminate.abort()
    })
  const permits = permitsOf(engine, history.permits)
  const running = engine.deliver(
    {
      source: new ScriptedSource(history, script, clock, laws),
      transport: new ModelService(history, script, clock, laws, random, engine),
      permits,
      rejects: new ModelRejects(history, script, clock, laws),
      clock,
      limits: history.limits,
      tally: new engine.Tally(),
      hashSeed: history.seed,
    },
    terminate.signal,
  )
  let result: Result | undefined
  running.then(
    (how) => (result = how),
    (error: unknown) => (result = thrown(engine, error)),
  )
  const idle = new IdleLaws(history, laws, clock)
  const steps = await runUntil(clock, book, idle, () => result !== undefined)
  laws.isOver = true
  const virtualMs = clock.time - begin
  if (result && !book.broken) checkEnd(laws, result)
  if (result === 'complete' && !book.broken) checkPermits(laws, permits, clock.time)
  while (clock.advance()) await macrotask()
  if (result === 'complete' && !book.broken) checkTables(book)
  return {
    broken: book.broken,
    trace: book.trace ?? [],
    records: script.facts.length,
    attempts: laws.attempts.count,
    virtualMs,
    digest: digestOf([steps, laws.attempts.count, virtualMs, random.next(), book.broken ? 1 : 0]),
  }
}

export function thrown(engine: Engine, error: unknown): Result {
  return {
    threw: error instanceof Error ? error.message : String(error),
    kind: error instanceof engine.ConnectorError ? error.kind : undefined,
  }
}

async function runUntil(clock: VirtualClock, book: Book, idle: IdleLaws, isOver: () => boolean): Promise<number> {
  for (let step = 0; ; step++) {
    await macrotask()
    if (isOver() || book.broken) return step
    idle.check()
    if (step > MOST_STEPS) book.break('always progress', `not over after ${MOST_STEPS} steps`)
    else if (!clock.advance())
      book.break('always progress', 'nothing is in flight, due or timed, and the run is not over')
  }
}

/** After every microtask. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** FNV-1a over the numbers' bits. */
function digestOf(numbers: readonly number[]): number {
  let digest = 0x811c9dc5
  for (const word of new Uint32Array(Float64Array.from(numbers).buffer)) digest = Math.imul(digest ^ word, 0x01000193)
  return digest >>> 0
}
