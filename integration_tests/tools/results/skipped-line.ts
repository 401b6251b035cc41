// The line that says what a run of tests skipped, and the one command that runs it too. Asks nobody and prints nothing.

import { NEEDS, type Need } from './needs.ts'

export interface Skipped {
  /** Undefined when its file alone knows why. */
  readonly needs: Need | undefined
  /** Its path in the checkout. */
  readonly file: string
}

/** @param command that was run: `npm test` @returns undefined when nothing was skipped */
export function skippedLine(skipped: readonly Skipped[], command: string): string | undefined {
  const needs = [...Map.groupBy(skipped, (one) => one.needs)].toSorted(([, a], [, b]) => b.length - a.length)
  const [needed, others] = [needs.filter(isNeeded), needs.find(([name]) => name === undefined)?.[1] ?? []]
  const total = `${skipped.length} ${skipped.length === 1 ? 'test' : 'tests'} skipped`
  const files = [...new Set(others.map(({ file }) => file))].join(', ')
  if (needed.length === 0) return skipped.length === 0 ? undefined : `${total} by what is said in ${files}.`
  const names = needed.map(([name, { length }]) => (needs.length === 1 ? name : `${name} (${length})`))
  const rest = others.length === 0 ? '' : `; ${others.length} by what is said in ${files}`
  const tools = listed([...new Set(needed.flatMap(([name]) => NEEDS[name]))])
  const [they, them] = skipped.length === 1 ? ['it needs', 'it'] : ['they need', 'them']
  const remedy = `npm run fetch:test-parts && ${command} runs ${them} too (needs ${tools})`
  return `${total}: ${they} ${listed(names)}${rest}. ${remedy}.`
}

function isNeeded(pair: [Need | undefined, Skipped[]]): pair is [Need, Skipped[]] {
  return pair[0] !== undefined
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
