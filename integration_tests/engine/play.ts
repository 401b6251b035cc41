// Plays one history through an engine in virtual time and says which law it broke, if any.

import type { Rejected, Rejects } from '../../src/core/types.ts'
import { Book } from './book.ts'
import type { Broken } from './book.ts'
import { checkEnd, checkTables } from './end-laws.ts'
import type { Result } from './end-laws.ts'
import type { Engine } from './engine.ts'
import { describeHistory } from './history.ts'
import type { History } from './history.ts'
import { Laws } from './laws.ts'
import { ModelService } from './model-service.ts'
import { Random } from './random.ts'
import { writeScript } from './script.ts'
import type { Fact } from './script.ts'
import { ScriptedSource } from './scripted-source.ts'
import { VirtualClock } from './virtual-clock.ts'

const MOST_STEPS = 20_000

/** @returns the first law broken, and what happened when it was asked to keep a trace */
export async function play(
  engine: Engine,
  history: History,
  traced = false,
): Promise<{ broken: Broken | undefined; trace: readonly string[] }> {
  const random = new Random(history.seed)
  const clock = new VirtualClock(random)
  const script = writeScript(history)
  const book = new Book(script, () => clock.now(), traced)
  const laws = new Laws(history, book, () => clock.now())
  const terminate = new AbortController()
  if (history.sigtermAt !== undefined)
    clock.at(history.sigtermAt, () => {
      laws.sigterm()
      terminate.abort()
    })
  let result: Result | undefined
  const running = engine.deliver(
    {
      source: new ScriptedSource(history, script, clock, laws),
      transport: new ModelService(history, script, clock, laws, random, engine),
      permits: new engine.FixedPermits(history.permits),
      rejects: new ModelRejects(history, clock, laws),
      clock,
      limits: history.limits,
      tally: new engine.Tally(),
    },
    terminate.signal,
  )
  running.then(
    (how) => (result = how),
    (error: unknown) =>
      (result = {
        threw: error instanceof Error ? error.message : String(error),
        isConnectorError: error instanceof engine.ConnectorError,
      }),
  )
  await runUntil(clock, laws, () => result !== undefined)
  if (result && !book.broken) checkEnd(laws, result)
  while (clock.advance()) await macrotask()
  if (result === 'complete' && !book.broken) checkTables(book)
  return { broken: book.broken, trace: book.trace ?? [] }
}

async function runUntil(clock: VirtualClock, laws: Laws, isOver: () => boolean): Promise<void> {
  for (let step = 0; !laws.book.broken; step++) {
    await macrotask()
    if (isOver()) return
    laws.idle()
    if (step > MOST_STEPS) laws.book.break('always progress', `not over after ${MOST_STEPS} steps`)
    else if (!clock.advance())
      laws.book.break('always progress', 'nothing is in flight, due or timed, and the run is not over')
  }
}

/** After every microtask. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A rejects file that is slow to be durable, or a policy that fails the run. */
class ModelRejects implements Rejects<Fact> {
  readonly #history: History
  readonly #clock: VirtualClock
  readonly #laws: Laws

  constructor(history: History, clock: VirtualClock, laws: Laws) {
    this.#history = history
    this.#clock = clock
    this.#laws = laws
  }

  async put({ origin, superseded }: Rejected<Fact>, signal: AbortSignal): Promise<void> {
    const { policy, ms } = this.#history.rejects
    this.#laws.rejecting(origin)
    if (policy === 'fail') {
      this.#laws.cause('a record is rejected', origin.table >= 0)
      throw new Error('a record is rejected')
    }
    if (ms > 0) await this.#clock.wait(ms, signal)
    if (signal.aborted) {
      this.#laws.excuse('a reject was cut off')
      throw new Error('a reject was cut off')
    }
    this.#laws.rejected(origin, superseded)
  }
}

/** For a reader: what was to happen, what did, and what was wrong with it. */
export async function explain(engine: Engine, history: History): Promise<string> {
  const { broken, trace } = await play(engine, history, true)
  return [
    `Broken: ${broken?.law}: ${broken?.how}`,
    'The history:',
    describeHistory(history),
    'What happened:',
    ...trace,
  ].join('\n')
}
