// Which entry of `topics` a topic belongs to: the one that names it, else the first one whose pattern matches its name. Any producer may
// choose that name, and the pattern is a whole regular expression of JavaScript, which one name may keep busy for hours: each new name is
// tried once, for a tenth of a second (decisions.md#what-others-write-is-matched-in-bounded-time).

import { setImmediate } from 'node:timers/promises'
import { createContext, Script } from 'node:vm'

/** A name that takes longer is left out. */
export const PATTERN_LIMIT_MS = 100
/** Microseconds of the processor that make a name slow: less of that time, and others had the processor meanwhile. */
const SLOW_US = 0.9 * 1000 * PATTERN_LIMIT_MS
/** How long many names are tried until the rest of the process has its turn. */
const TURN_MS = 10

type PatternAnswer = 'matches' | 'differs' | 'too slow'

/** A pattern for whole names, with its answers. `tryNames` comes first where there are many names, and again when there are others:
 *  `test` then only looks up what was found. */
export class NamePattern {
  readonly source: string
  /** Answers by name; each name is tried once. */
  readonly known = new Map<string, PatternAnswer>()
  readonly #expression: RegExp

  /** @param source of a regular expression for whole names */
  constructor(source: string) {
    this.source = source
    this.#expression = RegExp(source, 'u')
  }

  toJSON(): string {
    return this.source
  }

  /** Answers at once for a known name. Any other name holds up this thread while it is tried. */
  test(name: string): PatternAnswer {
    return this.known.get(name) ?? this.#tried(name)
  }

  /** Answers for as long as it takes. */
  answer(name: string): PatternAnswer {
    let answer = this.known.get(name)
    try {
      answer ??= this.#expression.test(name) ? 'matches' : 'differs'
    } catch {
      // the stack has no room for all the ways through it
      answer = 'too slow'
    }
    this.known.set(name, answer)
    return answer
  }

  /** Tries again, for longer, while others had the processor. */
  #tried(name: string): PatternAnswer {
    const answer = limited(() => this.answer(name))
    for (let timeout = PATTERN_LIMIT_MS; ; timeout *= 2) {
      const before = process.threadCpuUsage()
      if (answer(timeout)) return this.known.get(name)!
      const { user, system } = process.threadCpuUsage(before)
      if (user + system > SLOW_US) break
    }
    this.known.set(name, 'too slow')
    return 'too slow'
  }
}

const STEP = new Script('step()')

/** Makes a function that calls `step` for so many milliseconds at most. @returns whether it came to its end */
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

/** Tries new names, each with one pattern after another up to the first that does not differ, and lets the rest of the process have its
 *  turn in between. Forgets names that are not among `names`.
 *  @param signal aborts to wait no longer: names not tried by then count as too slow for the first pattern
 *  @returns by pattern, the new names that are too slow for it */
export async function tryNames(
  patterns: readonly NamePattern[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<NamePattern, readonly string[]>> {
  const there = new Set(names)
  for (const { known } of patterns) for (const name of known.keys()) if (!there.has(name)) known.delete(name)
  const fresh = names.filter((name) => patterns[0]?.known.has(name) === false)
  let at = 0
  const tryMany = limited(() => {
    for (const end = performance.now() + TURN_MS; at < fresh.length && performance.now() < end; at++)
      patterns.find((pattern) => pattern.answer(fresh[at]!) !== 'differs')
  })
  for (; at < fresh.length && !signal.aborted; await setImmediate()) {
    // a name that takes longer than a turn has its whole time alone
    if (tryMany(2 * TURN_MS) || at === fresh.length) continue
    patterns.find(({ known }) => !known.has(fresh[at]!))?.test(fresh[at]!)
  }
  for (const name of fresh.slice(at)) patterns[0]!.known.set(name, 'too slow')
  const slow = patterns.map(
    (pattern) => [pattern, fresh.filter((name) => pattern.known.get(name) === 'too slow')] as const,
  )
  return new Map(slow.filter(([, own]) => own.length > 0))
}

/** Kafka's own topics. */
const INTERNAL = ['__consumer_offsets', '__transaction_state', '__share_group_state']

/** Makes a pattern for whole names of topics, which never matches internal topics nor those of `except`.
 *  @param text a regular expression that `pattern` of topic-options.ts takes */
export function wholeNames(text: string, except: readonly string[]): NamePattern {
  const never = [...INTERNAL, ...except].map((name) => name.replaceAll('.', String.raw`\.`))
  return new NamePattern(`^(?!(?:${never.join('|')})$)(?:${text})$`)
}

/** The topics of one entry: the one of that name, or all whose whole names match the pattern. `text` is the pattern as the user wrote
 *  it. */
export type TopicChoice = { readonly name: string } | { readonly pattern: NamePattern; readonly text: string }

/** Finds a topic's entry. `undefined` when no entry takes the topic, or one of the patterns tried for it takes too long. */
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
