// A worker thread that tries blocks of cases, one after another, and answers each with what came of it.

import { parentPort, workerData } from 'node:worker_threads'
import { fuzz } from './fuzz.ts'
import type { Block } from './fuzz-parallel.ts'

const { playing } = workerData as { readonly playing: Int32Array }

parentPort!.on('message', (block: Block) => {
  const onCase = (index: number): void => void Atomics.store(playing, 0, index)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  parentPort!.postMessage(fuzz({ ...block, onCase }))
})
