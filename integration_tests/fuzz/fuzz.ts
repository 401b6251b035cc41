// Tries cases one after another, counts what became of the changed lines, stops at the first difference.

import { readBases } from './bases.ts'
import { caseOf } from './case.ts'
import { checkReader, Difference } from './check-reader.ts'

export interface Fuzzed {
  /** How many lines met each fate. */
  readonly fates: Readonly<Record<string, number>>
  readonly failure: Failure | undefined
}

export interface Failure {
  readonly index: number
  /** The changed line, printable. */
  readonly line: string
  /** The whole input, printable. */
  readonly input: string
  readonly what: string
}

export interface Cases {
  readonly seed: number
  readonly from: number
  readonly to: number
  /** A case is begun. */
  readonly onCase?: (index: number) => void
}

export function fuzz({ seed, from, to, onCase }: Cases): Fuzzed {
  const bases = readBases()
  const fates: Record<string, number> = {}
  for (let index = from; index < to; index++) {
    onCase?.(index)
    try {
      const fate = checkReader(caseOf(seed, index, bases))
      fates[fate] = (fates[fate] ?? 0) + 1
    } catch (error) {
      const what = error instanceof Difference ? error.message : String((error as Error).stack)
      return { fates, failure: failed(seed, index, what) }
    }
  }
  return { fates, failure: undefined }
}

/** The failure of a case. */
export function failed(seed: number, index: number, what: string): Failure {
  const { line, input } = caseOf(seed, index, readBases())
  return { index, line: printable(line), input: printable(input), what }
}

/** ASCII, what is none of it escaped as in a string of JavaScript. */
function printable(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString('latin1'))
  return text.replaceAll(/[\u007f-\u00ff]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
