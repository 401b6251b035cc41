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

/** A pattern for whole names, and what it was found to match. */
export class NamePattern {
  readonly source: string
  /** Answers by name. `undefined` when it takes too long. */
  readonly known = new Map<string, boolean | undefined>()

  /** @param source of a regular expression for whole names */
  constructor(source: string) {
    this.source = source
  }

  toJSON(): string {
    return this.source
  }

  /** Waits on this thread for a name that `tryNames` did not try.
   *  @returns undefined when it takes too long, then and ever after */
  test(name: string): boolean | undefined {
    if (!this.known.has(name)) this.known.set(name, this.#triedHere(name))
    return this.known.get(name)
  }

  /** Tries again while others had the processor, as the thread does. */
  #triedHere(name: string): boolean | undefined {
    const given = { source: this.source, name }
    for (let timeout = PATTERN_LIMIT_MS; ; timeout *= 2) {
      const before = process.threadCpuUsage()
      try {
        return runInNewContext('RegExp(source, "u").test(name)', given, { timeout }) as boolean
      } catch (error) {
        const { user, system } = process.threadCpuUsage(before)
        const isSlow = user + system > SLOW_US
        if (isSlow || (error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
      }
    }
  }
}

/** Tries names that are new with one pattern after another, up to the first that matches; forgets those that are gone.
 *  @param signal aborts to wait no longer: what is not tried by then is left out
 *  @returns by pattern, the new names that it takes too long for
 *  @throws when there can be no further thread */
export async function tryNames(
  patterns: readonly NamePattern[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<NamePattern, readonly string[]>> {
  const there = new Set(names)
  for (const { known } of patterns) for (const name of known.keys()) if (!there.has(name)) known.delete(name)
  const fresh = names.filter((name) => patterns[0]?.known.has(name) === false)
  const found = fresh.length === 0 ? [] : await tried(patterns, fresh, signal)
  const slow = new Map<NamePattern, string[]>()
  for (const [at, name] of fresh.entries()) {
    const which = Math.abs(found[at]! || -1) - 1
    for (const { known } of patterns.slice(0, which)) known.set(name, false)
    const last = patterns[which]
    last?.known.set(name, found[at]! > 0 || undefined)
    if (last && found[at]! <= 0) slow.set(last, [...(slow.get(last) ?? []), name])
  }
  return slow
}

/** @returns for each name, one more than the index of the pattern that matches it, negative if that takes too long; 0: not tried */
async function tried(patterns: readonly NamePattern[], names: readonly string[], signal: AbortSignal) {
  const found = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * names.length))
  const workerData = {
    sources: patterns.map(({ source }) => source),
    names,
    found,
    limitMs: PATTERN_LIMIT_MS,
    slowUs: SLOW_US,
  }
  const worker = new Worker(THREAD, { eval: true, workerData, env: {}, execArgv: [] })
  try {
    await once(worker, 'exit', { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await worker.terminate()
  }
  return found
}

/** Tries all names in one go. When its time is over, the name it is at may be slow, or those before were many, or others had the
 *  processor: it is tried again, longer each time, until it had the processor for so long itself. */
const THREAD = `
const { workerData } = require("node:worker_threads")
const { createContext, runInContext } = require("node:vm")
const all = createContext({ ...workerData, at: 0, which: 0 })
runInContext('var patterns = sources.map((source) => RegExp(source, "u"))', all)
const { names, found, limitMs, slowUs } = workerData
for (let timeout = limitMs; all.at < names.length; ) {
  const { at, which } = all
  const before = process.threadCpuUsage()
  try {
    runInContext(\`for (; at < names.length; found[at++] = which + 1, which = 0)
      while (which < patterns.length && !patterns[which].test(names[at])) which++\`, all, { timeout })
  } catch (error) {
    const { user, system } = process.threadCpuUsage(before)
    const isSame = all.at === at && all.which === which
    const isSlow = isSame && user + system > slowUs
    timeout = isSame && !isSlow ? timeout * 2 : limitMs
    if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' && !isSlow) continue
    found[all.at++] = -1 - all.which
    all.which = 0
  }
}
`
