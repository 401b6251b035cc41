// What is wrong with a config, by place. Knows no option.

import { shownName } from './shown-name.ts'

/** From the file's own object down: names of members, places in lists (from 0). */
export type Path = readonly (string | number)[]

export type Found = readonly [path: Path, problem: string]

/** As people write it: `topics[2].keys`. */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${shownName(step)}`))
    .join('')
}

/** Collects what is wrong; one problem a place, the first: it is nearest to the mistake. */
export class Findings {
  readonly #problems = new Map<string, Found>()

  add(path: Path, problem: string): void {
    const key = JSON.stringify(path)
    if (!this.#problems.has(key)) this.#problems.set(key, [path, problem])
  }

  /** Whether something is wrong there, or in what stands there. */
  has(path: Path): boolean {
    return this.problems.some(([found]) => path.every((step, at) => step === found[at]))
  }

  get problems(): readonly Found[] {
    return [...this.#problems.values()]
  }
}
