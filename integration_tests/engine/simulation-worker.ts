// A worker thread that plays blocks of seeds, one after another, and answers each with what came of it.

import { parentPort, workerData } from 'node:worker_threads'
import { engine, loadEngine } from './engine.ts'
import { play } from './play.ts'
import { historyOf } from './seeds.ts'
import { NOTHING, add, type Block, type Report } from './simulation.ts'

const { directory, playing } = workerData as { readonly directory?: string; readonly playing: Int32Array }
const played = directory === undefined ? engine : await loadEngine(directory)

/** A fault may surface where nobody waits for it. */
let stray: string | undefined
process.on('unhandledRejection', (error) => {
  stray ??= String(error)
})

async function playBlock({ from, to }: Block): Promise<Report> {
  let totals = NOTHING
  for (let seed = from; seed < to; seed++) {
    Atomics.store(playing, 0, seed)
    const { broken, records, attempts, virtualMs, digest } = await play(played, historyOf(seed))
    totals = add(totals, { histories: 1, records, attempts, virtualMs, digest })
    if (stray !== undefined)
      return { totals, failure: { seed, law: 'nothing is thrown where nobody catches it', how: stray } }
    if (broken) return { totals, failure: { seed, ...broken } }
  }
  return { totals, failure: undefined }
}

parentPort!.on('message', (block: Block) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  void playBlock(block).then((report) => parentPort!.postMessage(report))
})
