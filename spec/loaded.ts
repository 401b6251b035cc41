// The table of docs/DESIGN.md that says how much of src each command loads: integration_tests/loaded/loaded.json, which `npm run figures -- loaded` measures.

import { readFileSync } from 'node:fs'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

/** Modules of src, and the lines of their files. */
export interface Loaded {
  readonly modules: number
  readonly lines: number
}

export const LOADED = new URL('../integration_tests/loaded/loaded.json', import.meta.url)

export function readLoaded(): Readonly<Record<string, Loaded>> {
  return JSON.parse(readFileSync(LOADED, 'utf8')) as Record<string, Loaded>
}

/** @throws when the page has lost the marks of the table */
export function renewedLoaded(page: string): string {
  const rows = Object.entries(readLoaded()).map(([command, { modules, lines }]) => {
    return [`\`${command}\``, String(modules), lines.toLocaleString('en')]
  })
  return renewedBetween(page, marksOf('what commands load'), markdownTable(['command', 'modules', 'lines'], rows))
}
