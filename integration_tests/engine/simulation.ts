// Plays a range of seeds in worker threads. Knows nothing of how a history is made, nor of what is printed.

import { WatchedWorker } from './watched-worker.ts'

/** Seeds from..to-1. */
export interface Block {
  readonly from: number
  readonly to: number
}

export interface Totals {
  readonly histories: number
  readonly records: number
  readonly attempts: number
  readonly virtualMs: number
  /** The same for the same seeds, on whatever machine, in whatever order. */
  readonly digest: number
}

export interface Failure {
  readonly seed: number
  readonly law: string
  readonly how: string
}

export interface Report {
  readonly totals: Totals
  /** Of the smallest seed that broke a law. */
  readonly failure: Failure | undefined
}

export interface Plan extends Block {
  readonly workers: number
  /** A copy of the engine to play instead of the one that is. */
  readonly directory?: string | undefined
  readonly onProgress?: ((totals: Totals) => void) | undefined
}

export const NOTHING: Totals = { histories: 0, records: 0, attempts: 0, virtualMs: 0, digest: 0 }

const WORKER = new URL('simulation-worker.ts', import.meta.url)
const BLOCK = 50
/** One history takes milliseconds: one that takes so long never ends. */
const PATIENCE_MS = 60_000

/** Stops at the first seed that breaks a law, when those before it are done. */
export async function simulate({ from, to, workers, directory, onProgress }: Plan): Promise<Report> {
  let next = from
  let totals = NOTHING
  let failure: Failure | undefined
  const work = async (): Promise<void> => {
    await using player = new WatchedWorker<Block, Report>(WORKER, { directory }, PATIENCE_MS)
    while (next < to && !failure) {
      const block = { from: next, to: Math.min(to, next + BLOCK) }
      next = block.to
      const report = await player.run(block, block.from, (seed, how) => {
        return { totals: NOTHING, failure: { seed, law: 'it ends', how } }
      })
      totals = add(totals, report.totals)
      failure = earlier(failure, report.failure)
      onProgress?.(totals)
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil((to - from) / BLOCK)) }, work))
  return { totals, failure }
}

function earlier(a: Failure | undefined, b: Failure | undefined): Failure | undefined {
  return a && b ? (a.seed < b.seed ? a : b) : (a ?? b)
}

export function add(a: Totals, b: Totals): Totals {
  return {
    histories: a.histories + b.histories,
    records: a.records + b.records,
    attempts: a.attempts + b.attempts,
    virtualMs: a.virtualMs + b.virtualMs,
    digest: (a.digest ^ b.digest) >>> 0,
  }
}
