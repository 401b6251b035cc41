// Collects the problems and warnings of one config, each with the path of its option, and words paths and names for messages.

import type { Code } from '../core/codes.ts'
import { printable } from '../text/printable.ts'

/** A place in a config, from the top down: names of members, and places in lists (from 0). Empty for the whole file. */
export type Path = readonly (string | number)[]

/** The error code of all problems of a config together: malformed for a file that holds no options, else option. */
export type ProblemCode = Extract<Code, 'config.malformed' | 'config.option'>

type PathProblem = readonly [path: Path, problem: string]

/** Writes a path as in `topics[2].keys`. */
export function pathText(path: Path): string {
  return path
    .map((step, level) => (typeof step === 'number' ? `[${step}]` : `${level === 0 ? '' : '.'}${shownName(step)}`))
    .join('')
}

/** A name of this length may be a secret in the wrong place. */
const LONG_NAME = 16
/** Most characters of a name that are shown. */
const MOST_SHOWN = 60

/** Whether a name is long, and more than a fifth of it is neither words, what stands between words, nor digits at its end. */
function mayBeSecret(name: string): boolean {
  if (name.length < LONG_NAME) return false
  const withoutWords = name.replaceAll(/[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z\d])|[_.\-/$ ]|\d{1,4}$/g, '')
  return withoutWords.length > name.length / 5
}

/** A name from a user's file as a message may show it: one line, without what would end a quotation in backticks, and not if it looks
 *  like a secret (decisions.md#a-name-that-may-be-a-secret-is-not-shown). */
export function shownName(name: string): string {
  if (mayBeSecret(name)) return `(a name of ${name.length} characters, not shown: it may be a secret)`
  const text = printable(name).replaceAll('`', '?')
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN).toWellFormed()}…` : text
}

/** Collects what is found in one config. Of several problems at one path only the first is kept: it is nearest to the mistake. */
export class Findings {
  readonly #problems = new Map<string, PathProblem>()
  /** Each a sentence without its full stop. */
  readonly warnings: string[] = []

  /** @param problem what follows the path in a sentence. `undefined` when there is none, and nothing to add */
  add(path: Path, problem: string | undefined): void {
    const key = JSON.stringify(path)
    if (problem !== undefined && !this.#problems.has(key)) this.#problems.set(key, [path, problem])
  }

  /** @param oddity what is odd but works, as what follows the path in a sentence. `undefined` when nothing is */
  warn(path: Path, oddity: string | undefined): void {
    if (oddity !== undefined) this.warnings.push(`\`${pathText(path)}\` ${oddity}`)
  }

  /** Whether there is a problem at this path or below it. */
  has(path: Path): boolean {
    return this.problems.some(([faulty]) => path.every((step, level) => step === faulty[level]))
  }

  /** Lists which of these options of a group the file gives. A faulty one is given too, though its value is `undefined`. */
  given<Name extends string>(
    names: readonly Name[],
    group: { readonly [Option in Name]?: unknown },
    path: Path,
  ): readonly Name[] {
    return names.filter((name) => group[name] !== undefined || this.has([...path, name]))
  }

  get problems(): readonly PathProblem[] {
    return [...this.#problems.values()]
  }
}

/** Writes a problem as a sentence without its full stop. */
export function findingText([path, problem]: PathProblem): string {
  if (path.length === 0) return `the file ${problem}`
  // YAML lets a name be left out
  return path.at(-1) === '' ? `a name that is empty ${problem}` : `\`${pathText(path)}\` ${problem}`
}
