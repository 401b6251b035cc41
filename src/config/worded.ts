// Problems of a file as lines of text. Pure.

import type { Problem } from './parse-yaml.ts'

/** By line, each once. */
export function worded(problems: readonly Problem[]): string[] {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return [...new Set(sorted.map(({ line, text }) => (line === undefined ? text : `line ${line}: ${text}`)))]
}
