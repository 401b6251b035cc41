// `npm run soak`: kills, restarts and faults for as long as it is told, against a model of the tables. Its last line is what
// happened, in numbers, or what differs.

import { parseArgs } from 'node:util'
import type { Figures } from './figures.ts'
import { soak } from './soak.ts'

const USAGE = 'Usage: npm run soak -- [--minutes M] [--seed S]'

/** @throws TypeError when there is something that is not understood */
function readOptions(): { minutes: number; seed: number } {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string' } },
  })
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes < 10_000))
    throw new TypeError(`--minutes must be a number above 0, not "${values.minutes}".`)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new TypeError(`--seed must be a whole number, not "${values.seed}".`)
  return { minutes, seed }
}

/** @returns the exit code */
async function main(): Promise<number> {
  const { minutes, seed } = readOptions()
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const started = performance.now()
  const inWords = (figures: Figures): string => figures.inWords((performance.now() - started) / 60_000)
  const soaked = await soak({
    seed,
    seconds: minutes * 60,
    lanes: 8,
    records: 6_000,
    endings: 10,
    restartEveryMs: 12_000,
    patient: true,
    signal: stop.signal,
    onProgress: (figures) => progress(inWords(figures)),
  }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  progress('')
  if (stop.signal.aborted || soaked === undefined) return 130
  const { figures, difference } = soaked
  if (difference !== undefined) {
    console.log(`A difference from the model, seed ${seed}: ${difference}`)
    console.log(`Until then: ${inWords(figures)}.\nAgain: npm run soak -- --minutes ${minutes} --seed ${seed}`)
    return 1
  }
  console.log(`${inWords(figures)}, differences 0 (seed ${seed}).`)
  return 0
}

/** On a terminal only: one line, written again and again. */
function progress(words: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${words}`)
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  console.error(`${error.message}\n${USAGE}`)
  process.exitCode = 2
}
