// Patterns for the names of topics, which any producer may choose. Such a pattern is a whole regular expression of JavaScript, and one
// name may keep it busy for hours: each new name is tried once, for a tenth of a second, on a thread of its own
// (decisions.md#what-others-write-is-matched-in-bounded-time).

import { once } from 'node:events'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'

/** A name that takes longer is left out. */
export const PATTERN_LIMIT_MS = 100
/** Microseconds of the processor that make a name slow: less of that time, and others had the processor meanwhile. */
const SLOW_US = 900 * PATTERN_LIMIT_MS

type PatternAnswer = 'matches' | 'differs' | 'too slow'

/** A pattern for whole names, with its answers. `tryNames` comes first where there are many names, and again when there are others:
 *  `test` then only looks up what was found. */
export class NamePattern {
  readonly source: string
  /** Answers by name; each name is tried once. */
  readonly known = new Map<string, PatternAnswer>()

  /** @param source of a regular expression for whole names */
  constructor(source: string) {
    this.source = source
  }

  toJSON(): string {
    return this.source
  }

  /** Answers at once for a known name. Any other name holds up this thread while it is tried. */
  test(name: string): PatternAnswer {
    const known = this.known.get(name)
    if (known !== undefined) return known
    const answer = this.#triedHere(name)
    this.known.set(name, answer)
    return answer
  }

  /** Tries again, for longer, while others had the processor. */
  #triedHere(name: string): PatternAnswer {
    const given = { source: this.source, name }
    for (let timeout = PATTERN_LIMIT_MS; ; timeout *= 2) {
      const before = process.threadCpuUsage()
      try {
        return runInNewContext('RegExp(source, "u").test(name)', given, { timeout }) === true ? 'matches' : 'differs'
      } catch (error) {
        const { user, system } = process.threadCpuUsage(before)
        const isSlow = user + system > SLOW_US
        if (isSlow || (error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too slow'
      }
    }
  }
}

/** Tries new names on another thread, each with one pattern after another up to the first that does not differ. Forgets names that
 *  are not among `names`.
 *  @param signal aborts to wait no longer: names not tried by then count as too slow for the first pattern
 *  @returns by pattern, the new names that are too slow for it
 *  @throws when there can be no further thread */
export async function tryNames(
  patterns: readonly NamePattern[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<NamePattern, readonly string[]>> {
  const there = new Set(names)
  for (const { known } of patterns) for (const name of known.keys()) if (!there.has(name)) known.delete(name)
  const fresh = names.filter((name) => patterns[0]?.known.has(name) === false)
  const slow = new Map<NamePattern, string[]>()
  if (fresh.length === 0) return slow
  const { reached, isDone } = await tried(patterns, fresh, signal)
  for (const [at, name] of fresh.entries()) {
    const answered = patterns.slice(0, reached[at])
    const last = patterns[reached[at]!]
    for (const { known } of answered) known.set(name, 'differs')
    last?.known.set(name, isDone[at] === 1 ? 'matches' : 'too slow')
    if (last && isDone[at] === 0) slow.set(last, [...(slow.get(last) ?? []), name])
  }
  return slow
}

/** Results for each name, written by the thread; zeros at first. */
interface Tried {
  /** How many patterns, from the first, were found to differ. */
  readonly reached: Int32Array
  /** 1: the pattern behind them, if there is one, matches. 0: it took too long, or the name was not tried. */
  readonly isDone: Uint8Array
}

async function tried(patterns: readonly NamePattern[], names: readonly string[], signal: AbortSignal): Promise<Tried> {
  const reached = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * names.length))
  const isDone = new Uint8Array(new SharedArrayBuffer(names.length))
  const sources = patterns.map(({ source }) => source)
  const workerData = { sources, names, reached, isDone, limitMs: PATTERN_LIMIT_MS, slowUs: SLOW_US }
  const worker = new Worker(THREAD, { eval: true, workerData, env: {}, execArgv: [] })
  try {
    await once(worker, 'exit', { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await worker.terminate()
  }
  return { reached, isDone }
}

/** Tries all names in one go. When its time is over, the name it is at may be slow, or those before were many, or others had the
 *  processor: it is tried again, longer each time, until it had the processor for so long itself. */
const THREAD = `
const { workerData } = require("node:worker_threads")
const { createContext, runInContext } = require("node:vm")
const all = createContext({ ...workerData, at: 0, which: 0 })
runInContext('var patterns = sources.map((source) => RegExp(source, "u"))', all)
const { names, reached, limitMs, slowUs } = workerData
for (let timeout = limitMs; all.at < names.length; ) {
  const { at, which } = all
  const before = process.threadCpuUsage()
  try {
    runInContext(\`for (; at < names.length; reached[at] = which, isDone[at++] = 1, which = 0)
      while (which < patterns.length && !patterns[which].test(names[at])) which++\`, all, { timeout })
  } catch (error) {
    const { user, system } = process.threadCpuUsage(before)
    const isSame = all.at === at && all.which === which
    const isSlow = isSame && user + system > slowUs
    timeout = isSame && !isSlow ? timeout * 2 : limitMs
    if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' && !isSlow) continue
    reached[all.at++] = all.which
    all.which = 0
  }
}
`
