// `npm run fuzz`: changed lines through the reader and the mapping of `write`, until a verdict is not that of JSON.parse. What it tries is the same for the same seed.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { progress, runCommand, wholeNumber } from '../tools/command.ts'
import { fuzz, type Fuzzed } from './fuzz.ts'
import { fuzzParallel } from './fuzz-parallel.ts'

const USAGE = `Usage: npm run fuzz -- [--lines N] [--seed S] [--workers N]   tries the lines 0 … N-1 of a seed
       npm run fuzz -- --seed S --index I                        tries one again`

/** Shown of an input; the line itself is shown whole. */
const SHOWN = 4_000

/** Of lines and seeds. */
const MOST = 2 ** 30 - 1

/** @throws TypeError when there is something that is not understood */
function readOptions(): { lines: number; seed: number; workers: number; index: number | undefined } {
  const { values } = parseArgs({
    options: {
      lines: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      workers: { type: 'string', default: String(availableParallelism()) },
      index: { type: 'string' },
    },
  })
  return {
    lines: wholeNumber('lines', values.lines, 1, MOST),
    seed: wholeNumber('seed', values.seed, 0, MOST),
    workers: wholeNumber('workers', values.workers, 1, MOST),
    index: values.index === undefined ? undefined : wholeNumber('index', values.index, 0, MOST),
  }
}

/** @returns the exit code */
function report({ fates, failure }: Fuzzed, seed: number, seconds: number): number {
  if (failure) {
    console.log(`Line ${failure.index} of seed ${seed}: ${failure.what}`)
    console.log(`Line:  ${failure.line}\nInput: ${failure.input.slice(0, SHOWN)}`)
    console.log(`Again: npm run fuzz -- --seed ${seed} --index ${failure.index}`)
    return 1
  }
  const counts = Object.entries(fates).sort(([, a], [, b]) => b - a)
  const lines = counts.reduce((sum, [, count]) => sum + count, 0)
  console.log(counts.map(([fate, count]) => `${fate} ${count}`).join(', '))
  console.log(`Every verdict is right: ${lines} lines (${seconds.toFixed(1)} s, seed ${seed}).`)
  return 0
}

async function main(): Promise<number> {
  const { lines, seed, workers, index } = readOptions()
  const started = performance.now()
  const cases = { seed, from: index ?? 0, to: index === undefined ? lines : index + 1 }
  const onProgress = (done: number): void => progress(`${done} of ${lines} lines`)
  const fuzzed = index === undefined ? await fuzzParallel(cases, workers, onProgress) : fuzz(cases)
  progress('')
  return report(fuzzed, seed, (performance.now() - started) / 1000)
}

await runCommand(USAGE, main)
