// Plays a range of seeds in worker threads. Knows nothing of how a history is made, nor of what is printed.

import { Worker } from 'node:worker_threads'

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

/** What a worker answers to a block: as far as it came. */
export type BlockReport = Report

export interface Plan extends Block {
  readonly workers: number
  /** A copy of the engine to play instead of the one that is. */
  readonly directory?: string | undefined
  readonly onProgress?: ((totals: Totals) => void) | undefined
}

export const NOTHING: Totals = { histories: 0, records: 0, attempts: 0, virtualMs: 0, digest: 0 }

const BLOCK = 50
/** One history takes milliseconds: one that takes so long never ends. */
const PATIENCE_MS = 60_000
const LOOK_MS = 1000

/** Stops at the first seed that breaks a law, when those before it are done. */
export async function simulate({ from, to, workers, directory, onProgress }: Plan): Promise<Report> {
  let next = from
  let totals = NOTHING
  let failure: Failure | undefined
  const work = async (): Promise<void> => {
    const player = new Player(directory)
    while (next < to && !failure) {
      const block = { from: next, to: Math.min(to, next + BLOCK) }
      next = block.to
      const report = await player.play(block)
      totals = add(totals, report.totals)
      failure = earlier(failure, report.failure)
      onProgress?.(totals)
    }
    await player.end()
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

/** A worker thread, watched: a faulty engine may never end, or end the thread. */
class Player {
  readonly #worker: Worker
  /** The seed that is being played. */
  readonly #seed = new Int32Array(new SharedArrayBuffer(4))

  constructor(directory: string | undefined) {
    this.#worker = new Worker(new URL('simulation-worker.ts', import.meta.url), {
      workerData: { directory, seed: this.#seed },
    })
  }

  play(block: Block): Promise<BlockReport> {
    const seed = this.#seed
    seed[0] = block.from
    return new Promise((resolve) => {
      const fail = (how: string): void =>
        end({ totals: NOTHING, failure: { seed: Atomics.load(seed, 0), law: 'it ends', how } })
      const onError = (error: Error): void => fail(`the thread broke: ${error.message}`)
      let last = block.from
      let since = performance.now()
      const watch = setInterval(() => {
        const current = Atomics.load(seed, 0)
        if (current !== last) since = performance.now()
        last = current
        if (performance.now() - since > PATIENCE_MS) fail(`not within ${PATIENCE_MS / 1000} s`)
      }, LOOK_MS)
      const end = (report: BlockReport): void => {
        clearInterval(watch)
        this.#worker.off('message', end).off('error', onError)
        resolve(report)
      }
      this.#worker.on('message', end).on('error', onError)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
      this.#worker.postMessage(block)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
