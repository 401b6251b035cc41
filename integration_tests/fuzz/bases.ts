// What lines are changed from: the captures, the corpus of hostile documents, and generated messages.

import { readFileSync } from 'node:fs'
import { readCorpus } from '../../spec/documents/read-corpus.ts'
import { Random } from '../engine/random.ts'
import { ExpectedPoints } from './expected-point.ts'
import { generateLine } from './generate.ts'
import { oneOf, STREAM_NAMES } from './hostile.ts'
import { verdictOf } from './oracle.ts'

export interface Bases {
  /** Latin1, without line feed. */
  readonly all: readonly string[]
  /** Those of them that stop no run. */
  readonly good: readonly string[]
  readonly isGood: ReadonlySet<string>
}

const CAPTURES = ['faker', 'file', 'pyairbyte-direct', 'pyairbyte-through-cache']
const OF_EACH_CAPTURE = 60
const GENERATED = 1_000
/** Longer ones are tried as they are by the tests of the corpus. */
const LONGEST = 12_000

export function readBases(): Bases {
  const random = new Random(1)
  const captured = CAPTURES.flatMap((name) => {
    const file = new URL(`../../spec/captures/${name}/messages.jsonl`, import.meta.url)
    const lines = readFileSync(file, 'latin1').split('\n').slice(0, -1)
    return Array.from({ length: OF_EACH_CAPTURE }, () => oneOf(random, lines))
  })
  const documents = readCorpus()
    .map((one) => one.line(oneOf(random, STREAM_NAMES)).toString('latin1'))
    .filter((line) => line.length <= LONGEST && !line.includes('\n'))
  const generated = Array.from({ length: GENERATED }, () => generateLine(random))
  const all = [...captured, ...documents, ...generated]
  const good = all.filter(passes)
  return { all, good, isGood: new Set(good) }
}

function passes(line: string): boolean {
  const verdict = verdictOf(Buffer.from(line, 'latin1'))
  return verdict.kind === 'record' ? !new ExpectedPoints().of(verdict).rejected : verdict.kind !== 'fault'
}
