// Tries cases one after another in both layers, counts what became of the changed lines, stops at the first difference.

import { readBases } from './bases.ts'
import { caseOf } from './case.ts'
import type { Case } from './case.ts'
import { checkReader } from './check-reader.ts'
import { WriteRuns } from './check-write.ts'

export interface Fuzzed {
  /** How many lines met each fate. */
  readonly fates: Readonly<Record<string, number>>
  /** Runs of `write`. */
  readonly writes: number
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
  /** Every so many lines one goes through `write`, too. */
  readonly writeEvery: number
  /** A case is begun. */
  readonly onCase?: (index: number) => void
}

/** Lines around the changed one, at most; there are more where a whole `write` is run. */
const AROUND = 4
const AROUND_IN_WRITE = 30
/** Indices of the cases for `write`, so that they are others. */
const WRITE_CASES = 2 ** 30

export async function fuzz({ seed, from, to, writeEvery, onCase }: Cases): Promise<Fuzzed> {
  const bases = readBases()
  const fates: Record<string, number> = {}
  let writes = 0
  await using runs = await WriteRuns.open()
  for (let index = from; index < to; index++) {
    onCase?.(index)
    let one = caseOf(seed, index, bases, AROUND)
    try {
      const fate = checkReader(one)
      fates[fate] = (fates[fate] ?? 0) + 1
      if (index % writeEvery !== 0) continue
      one = caseOf(seed, WRITE_CASES + index, bases, AROUND_IN_WRITE)
      await runs.check(one)
      writes++
    } catch (error) {
      return { fates, writes, failure: failureOf(index, one, error) }
    }
  }
  return { fates, writes, failure: undefined }
}

/** The failure of a case that was not even left. */
export function failed(seed: number, index: number, what: string): Failure {
  return { index, ...shownCase(caseOf(seed, index, readBases(), AROUND)), what }
}

function failureOf(index: number, one: Case, error: unknown): Failure {
  const isDifference = error instanceof Error && error.name === 'Difference'
  return { index, ...shownCase(one), what: isDifference ? error.message : String((error as Error).stack) }
}

function shownCase({ line, input }: Case): { line: string; input: string } {
  return { line: printable(line), input: printable(input) }
}

/** ASCII, what is none of it escaped as in a string of JavaScript. */
function printable(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString('latin1'))
  return text.replaceAll(/[\u007f-\u00ff]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
