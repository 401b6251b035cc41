// A worker thread that does one job after another, watched: what it plays may never end, or end the thread.

import { Worker } from 'node:worker_threads'

const LOOK_MS = 1000

export class WatchedWorker<Job, Answer> implements AsyncDisposable {
  readonly #worker: Worker
  readonly #patienceMs: number
  /** The number of what is being played, which the thread keeps up to date. */
  readonly #playing = new Int32Array(new SharedArrayBuffer(4))

  /** @param file answers each message, a job, with another @param data for the thread, beside `playing`
   *  @param patienceMs what plays so long never ends */
  constructor(file: URL, data: object, patienceMs: number) {
    this.#worker = new Worker(file, { workerData: { ...data, playing: this.#playing } })
    this.#patienceMs = patienceMs
  }

  /** @param first what the job plays first
   *  @param failed the answer where the thread has none: which number was played then, and what became of it */
  run(job: Job, first: number, failed: (playing: number, how: string) => Answer): Promise<Answer> {
    Atomics.store(this.#playing, 0, first)
    return new Promise((resolve) => {
      let [last, since] = [first, performance.now()]
      const watch = setInterval(() => {
        const current = Atomics.load(this.#playing, 0)
        if (current !== last) [last, since] = [current, performance.now()]
        if (performance.now() - since > this.#patienceMs) fail(`not within ${this.#patienceMs / 1000} s`)
      }, LOOK_MS)
      const end = (answer: Answer): void => {
        clearInterval(watch)
        this.#worker.off('message', end).off('error', onError)
        resolve(answer)
      }
      const fail = (how: string): void => end(failed(Atomics.load(this.#playing, 0), how))
      const onError = (error: Error): void => fail(`the thread broke: ${String(error.stack)}`)
      this.#worker.on('message', end).on('error', onError)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
      this.#worker.postMessage(job)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
