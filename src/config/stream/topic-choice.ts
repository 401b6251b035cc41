// Finds the entry of `topics` that a topic belongs to: the one that names it, else the first one whose pattern matches its name. Any
// producer may choose that name, and the pattern may be any regular expression of JavaScript, which one name may keep busy for hours: each
// new name is tried once, for a tenth of a second (decisions.md#what-others-write-is-matched-in-bounded-time).

import { setImmediate } from 'node:timers/promises'
import { createContext, Script } from 'node:vm'

/** How long a pattern may take for one name; a topic whose name takes longer is left out. */
export const PATTERN_LIMIT_MS = 100
/** Microseconds of the processor that a try must have had for its name to be slow; with less, others had it, and it is tried again. */
const SLOW_US = 0.9 * 1000 * PATTERN_LIMIT_MS
/** For how long names are tried one after another before the rest of the process has its turn. */
const TURN_MS = 10

type PatternAnswer = 'matches' | 'differs' | 'too slow'

/** A pattern for whole names, which remembers its answers. Where there are many names, `tryNames` tries them first, with pauses
 *  for the rest of the process: `test` then only looks up what was found. */
export class NamePattern {
  readonly source: string
  /** Answers by name. */
  readonly known = new Map<string, PatternAnswer>()
  readonly #expression: RegExp

  /** @param source of a regular expression for whole names */
  constructor(source: string) {
    this.source = source
    this.#expression = RegExp(source, 'u')
  }

  /** For digests of a config. */
  toJSON(): string {
    return this.source
  }

  /** Tells at once for a known name. Any other one is tried, which holds this thread up. */
  test(name: string): PatternAnswer {
    return this.known.get(name) ?? this.#tryLimited(name)
  }

  /** Tries a name for as long as it takes; to be called within `limited`. */
  tryUnlimited(name: string): PatternAnswer {
    let answer = this.known.get(name)
    try {
      answer ??= this.#expression.test(name) ? 'matches' : 'differs'
    } catch {
      // the stack overflowed: it has no room for all ways through the name
      answer = 'too slow'
    }
    this.known.set(name, answer)
    return answer
  }

  /** Tries a name for a limited time, which is doubled as long as other threads had the processor meanwhile. */
  #tryLimited(name: string): PatternAnswer {
    const tryFor = limited(() => this.tryUnlimited(name))
    for (let timeout = PATTERN_LIMIT_MS; ; timeout *= 2) {
      const before = processorTime()
      if (tryFor(timeout)) return this.known.get(name)!
      if (processorTime() - before > SLOW_US) break
    }
    this.known.set(name, 'too slow')
    return 'too slow'
  }
}

/** The time for which this thread has had the processor, in microseconds. */
function processorTime(): number {
  // oxlint-disable-next-line no-restricted-globals -- a clock, as `performance` is one, that no import has
  const { user, system } = process.threadCpuUsage()
  return user + system
}

const STEP = new Script('step()')

/** Makes a function that calls `step` for so many milliseconds at most and says whether it ended. Only `node:vm` can break off a RegExp. */
function limited(step: () => void): (timeout: number) => boolean {
  const context = createContext({ step })
  return (timeout) => {
    try {
      STEP.runInContext(context, { timeout })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
      throw error
    }
  }
}

/** Tries the new ones of these names, each with one pattern after another up to the first that matches or is too slow, and lets the rest
 *  of the process have its turn in between. Patterns forget all other names.
 *  @param signal aborts to end early: names not tried by then count as too slow for the first pattern
 *  @returns by pattern, the new names that are too slow for it */
export async function tryNames(
  patterns: readonly NamePattern[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<NamePattern, readonly string[]>> {
  const kept = new Set(names)
  for (const { known } of patterns) for (const name of known.keys()) if (!kept.has(name)) known.delete(name)
  // a name that was ever tried was tried with the first pattern; without patterns there is nothing to try
  const newNames = names.filter((name) => patterns[0]?.known.has(name) === false)
  let tried = 0
  const tryMany = limited(() => {
    for (const end = performance.now() + TURN_MS; tried < newNames.length && performance.now() < end; tried++)
      patterns.find((pattern) => pattern.tryUnlimited(newNames[tried]!) !== 'differs')
  })
  for (; tried < newNames.length && !signal.aborted; await setImmediate()) {
    // when a turn is broken off, its last name is tried alone, for its whole time, with the first pattern that has no answer yet
    if (tryMany(2 * TURN_MS) || tried === newNames.length) continue
    patterns.find(({ known }) => !known.has(newNames[tried]!))?.test(newNames[tried]!)
  }
  for (const name of newNames.slice(tried)) patterns[0]!.known.set(name, 'too slow')
  const slow = patterns.map(
    (pattern) => [pattern, newNames.filter((name) => pattern.known.get(name) === 'too slow')] as const,
  )
  return new Map(slow.filter(([, slowNames]) => slowNames.length > 0))
}

/** Kafka's own topics. */
const INTERNAL = ['__consumer_offsets', '__transaction_state', '__share_group_state']

/** Makes a pattern for whole names of topics, which never matches internal topics nor those of `except`.
 *  @param text a regular expression that the option `pattern` (topic-options.ts) takes */
export function wholeNames(text: string, except: readonly string[]): NamePattern {
  const never = [...INTERNAL, ...except].map((name) => name.replaceAll('.', String.raw`\.`))
  return new NamePattern(`^(?!(?:${never.join('|')})$)(?:${text})$`)
}

/** The topics of one entry: the one of that name, or all whose whole names match the pattern. `text`: the pattern as the user wrote it. */
export type TopicChoice = { readonly name: string } | { readonly pattern: NamePattern; readonly text: string }

/** Finds a topic's entry. `undefined` when no entry takes the topic, or a pattern that is tried before takes too long for its name. */
export function entryFor<Entry extends { readonly topic: TopicChoice }>(
  topicName: string,
  entries: readonly Entry[],
): Entry | undefined {
  const named = entries.find(({ topic }) => 'name' in topic && topic.name === topicName)
  if (named) return named
  for (const entry of entries) {
    const answer = 'pattern' in entry.topic ? entry.topic.pattern.test(topicName) : 'differs'
    if (answer === 'matches') return entry
    // a pattern behind it may match, but this one comes first
    if (answer === 'too slow') return undefined
  }
  return undefined
}
