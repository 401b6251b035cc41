// Tries a range of cases in worker threads. A case that never ends, or ends its thread, is a failure like any other.

import { Worker } from 'node:worker_threads'
import { failed } from './fuzz.ts'
import type { Cases, Fuzzed } from './fuzz.ts'

export type Block = Omit<Cases, 'onCase'>

const BLOCK = 2_500
/** A case takes a millisecond, one of `write` ten. */
const PATIENCE_MS = 30_000
const LOOK_MS = 1_000

/** Stops at the first failure found. @param onProgress told how many cases are done */
export async function fuzzParallel(
  cases: Block,
  workers: number,
  onProgress: (done: number) => void = () => {},
): Promise<Fuzzed> {
  const fates: Record<string, number> = {}
  let [writes, next, done] = [0, cases.from, 0]
  let failure: Fuzzed['failure']
  const work = async (): Promise<void> => {
    await using tries = new Tries()
    while (next < cases.to && !failure) {
      const block = { ...cases, from: next, to: Math.min(cases.to, next + BLOCK) }
      next = block.to
      const fuzzed = await tries.run(block)
      for (const [fate, count] of Object.entries(fuzzed.fates)) fates[fate] = (fates[fate] ?? 0) + count
      writes += fuzzed.writes
      failure ??= fuzzed.failure
      onProgress((done += block.to - block.from))
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return { fates, writes, failure }
}

/** A thread, watched. */
class Tries implements AsyncDisposable {
  readonly #trying = new Int32Array(new SharedArrayBuffer(4))
  readonly #worker = new Worker(new URL('fuzz-worker.ts', import.meta.url), { workerData: { trying: this.#trying } })

  run(block: Block): Promise<Fuzzed> {
    this.#trying[0] = block.from
    return new Promise((resolve) => {
      const watch = setInterval(() => this.#look(fail), LOOK_MS)
      const end = (fuzzed: Fuzzed): void => {
        clearInterval(watch)
        this.#worker.off('message', end).off('error', onError)
        resolve(fuzzed)
      }
      const fail = (what: string): void => {
        const index = Atomics.load(this.#trying, 0)
        end({ fates: {}, writes: 0, failure: failed(block.seed, index, what) })
      }
      const onError = (error: Error): void => fail(String(error.stack))
      this.#worker.on('message', end).on('error', onError)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
      this.#worker.postMessage(block)
    })
  }

  #last = -1
  #since = performance.now()

  #look(fail: (what: string) => void): void {
    const current = Atomics.load(this.#trying, 0)
    if (current !== this.#last) this.#since = performance.now()
    this.#last = current
    if (performance.now() - this.#since > PATIENCE_MS) fail(`it does not end within ${PATIENCE_MS / 1000} s`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
