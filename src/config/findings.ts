// What is wrong with a config and what is odd about it, each at its place.

/** From the file's own object down: names of members, places in lists (from 0). */
export type Path = readonly (string | number)[]

export type Found = readonly [path: Path, problem: string]

/** As people write it: `topics[2].keys`. */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${shownName(step)}`))
    .join('')
}

/** From here on a name may be a secret that stands in its place. */
const LONG_NAME = 16

/** Whether a name is too long and too random for one that people give: words, and digits behind them. */
function mayBeSecret(name: string): boolean {
  if (name.length < LONG_NAME) return false
  const rest = name.replaceAll(/[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z\d])|[_.\-/$ ]|\d{1,4}$/g, '')
  return rest.length > name.length / 5
}

/** A name from a user's file as a message may show it: one line, without what would end a quotation in backticks, and not if it looks
 *  like a secret (decisions.md#a-name-that-may-be-a-secret-is-not-shown). */
export function shownName(name: string): string {
  if (mayBeSecret(name)) return `(a name of ${name.length} characters, not shown: it may be a secret)`
  // oxlint-disable-next-line no-control-regex
  const text = name.replace(/[\u0000-\u001f\u007f-\u009f`\u2028\u2029]/g, '?')
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text.toWellFormed()
}

/** Collects what is wrong; one problem a place, the first: it is nearest to the mistake. */
export class Findings {
  readonly #problems = new Map<string, Found>()
  /** Sentences without their end. */
  readonly warnings: string[] = []

  /** @param problem undefined: none */
  add(path: Path, problem: string | undefined): void {
    const key = JSON.stringify(path)
    if (problem !== undefined && !this.#problems.has(key)) this.#problems.set(key, [path, problem])
  }

  /** @param oddity what is odd there and works all the same; undefined: nothing */
  warn(path: Path, oddity: string | undefined): void {
    if (oddity !== undefined) this.warnings.push(`\`${pathText(path)}\` ${oddity}`)
  }

  /** Whether something is wrong there, or in what stands there. */
  has(path: Path): boolean {
    return this.problems.some(([found]) => path.every((step, at) => step === found[at]))
  }

  get problems(): readonly Found[] {
    return [...this.#problems.values()]
  }
}

/** A problem in one line of text. */
export function findingText([path, problem]: Found): string {
  if (path.length === 0) return `the file ${problem}`
  // what YAML makes of null as a name
  return path.at(-1) === '' ? `a name that is empty ${problem}` : `\`${pathText(path)}\` ${problem}`
}
