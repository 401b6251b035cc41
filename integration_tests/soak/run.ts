// `npm run soak`: kills, restarts and faults for as long as it is told, against a model of the tables. Its last line is what
// happened, in numbers, or what differs.

import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { progress, runCommand, wholeNumber } from '../tools/command.ts'
import type { Figures } from './figures.ts'
import { soak } from './soak.ts'

const USAGE = 'Usage: npm run soak -- [--minutes M] [--seed S]'

/** @throws TypeError when there is something that is not understood */
function readOptions(): { minutes: number; seed: number } {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    },
  })
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes < 10_000))
    throw new TypeError(`--minutes must be a number above 0, not "${values.minutes}".`)
  return { minutes, seed: wholeNumber('seed', values.seed, 0) }
}

/** @returns the exit code */
async function main(signal: AbortSignal): Promise<number> {
  const { minutes, seed } = readOptions()
  const started = performance.now()
  const inWords = (figures: Figures): string => figures.inWords((performance.now() - started) / 60_000)
  const { figures, difference } = await soak({
    seed,
    seconds: minutes * 60,
    lanes: 8,
    records: 6_000,
    endings: 10,
    restartEveryMs: 12_000,
    patient: true,
    signal,
    onProgress: (figures) => progress(inWords(figures)),
  }).finally(() => progress(''))
  signal.throwIfAborted()
  if (difference !== undefined) {
    console.log(`A difference from the model, seed ${seed}: ${difference}`)
    console.log(`Until then: ${inWords(figures)}.\nAgain: npm run soak -- --minutes ${minutes} --seed ${seed}`)
    return 1
  }
  console.log(`${inWords(figures)}, differences 0 (seed ${seed}).`)
  return 0
}

await runCommand(USAGE, main)
