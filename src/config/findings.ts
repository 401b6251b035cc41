// Problems and warnings of a config, each with its path.

import type { Code } from '../core/codes.ts'
import { printable } from '../text/printable.ts'

/** From the file's own object down: names of members, places in lists (from 0). */
export type Path = readonly (string | number)[]

/** The code of all problems of a config: a file that holds no options has one. */
export type ProblemCode = Extract<Code, 'config.malformed' | 'config.option'>

type PathProblem = readonly [path: Path, problem: string]

/** Writes a path as in `topics[2].keys`. */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${shownName(step)}`))
    .join('')
}

/** A name of this length may be a secret in the wrong place. */
const LONG_NAME = 16

/** Whether a name is long and does not consist of words with digits behind them. */
function mayBeSecret(name: string): boolean {
  if (name.length < LONG_NAME) return false
  const rest = name.replaceAll(/[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z\d])|[_.\-/$ ]|\d{1,4}$/g, '')
  return rest.length > name.length / 5
}

/** A name from a user's file as a message may show it: one line, without what would end a quotation in backticks, and not if it looks
 *  like a secret (decisions.md#a-name-that-may-be-a-secret-is-not-shown). */
export function shownName(name: string): string {
  if (mayBeSecret(name)) return `(a name of ${name.length} characters, not shown: it may be a secret)`
  const text = printable(name).replaceAll('`', '?')
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}

/** Collects what is found in one config. Of several problems of one path it keeps the first: it is nearest to the mistake. */
export class Findings {
  readonly #problems = new Map<string, PathProblem>()
  /** Sentences without their end. */
  readonly warnings: string[] = []

  /** @param problem `undefined` when there is none */
  add(path: Path, problem: string | undefined): void {
    const key = JSON.stringify(path)
    if (problem !== undefined && !this.#problems.has(key)) this.#problems.set(key, [path, problem])
  }

  /** @param oddity what is odd but works. `undefined` when nothing is */
  warn(path: Path, oddity: string | undefined): void {
    if (oddity !== undefined) this.warnings.push(`\`${pathText(path)}\` ${oddity}`)
  }

  /** Whether there is a problem at this path or below it. */
  has(path: Path): boolean {
    return this.problems.some(([found]) => path.every((step, at) => step === found[at]))
  }

  /** Lists the options of a group that the file gives, rightly or wrongly. */
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

/** A problem in one line of text. */
export function findingText([path, problem]: PathProblem): string {
  if (path.length === 0) return `the file ${problem}`
  // YAML lets a name be left out
  return path.at(-1) === '' ? `a name that is empty ${problem}` : `\`${pathText(path)}\` ${problem}`
}
