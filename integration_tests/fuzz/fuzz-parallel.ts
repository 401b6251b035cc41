// Tries a range of cases in worker threads. A case that never ends, or ends its thread, is a failure like any other.

import { WatchedWorker } from '../engine/watched-worker.ts'
import { failed, type Cases, type Fuzzed } from './fuzz.ts'

export type Block = Omit<Cases, 'onCase'>

const WORKER = new URL('fuzz-worker.ts', import.meta.url)
const BLOCK = 2_500
/** A case takes a millisecond. */
const PATIENCE_MS = 30_000

/** Stops at the first failure found. @param onProgress told how many cases are done */
export async function fuzzParallel(
  cases: Block,
  workers: number,
  onProgress: (done: number) => void = () => {},
): Promise<Fuzzed> {
  const fates: Record<string, number> = {}
  let [next, done] = [cases.from, 0]
  let failure: Fuzzed['failure']
  const work = async (): Promise<void> => {
    await using tries = new WatchedWorker<Block, Fuzzed>(WORKER, {}, PATIENCE_MS)
    while (next < cases.to && !failure) {
      const block = { ...cases, from: next, to: Math.min(cases.to, next + BLOCK) }
      next = block.to
      const fuzzed = await tries.run(block, block.from, (index, how) => {
        return { fates: {}, failure: failed(block.seed, index, how) }
      })
      for (const [fate, count] of Object.entries(fuzzed.fates)) fates[fate] = (fates[fate] ?? 0) + count
      failure ??= fuzzed.failure
      onProgress((done += block.to - block.from))
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return { fates, failure }
}
