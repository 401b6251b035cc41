// Writes a workload to its topic at a steady pace, with bursts, until it is told to finish. Knows nobody who reads it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { KafkaClient } from '../kafka/client.ts'
import type { Workload } from './workload.ts'

const PACE_MS = 200
const AT_ONCE = 2000

export interface ProducerOptions {
  readonly topic: string
  readonly recordsPerSecond: number
  /** At least so many are produced in the end. */
  readonly records: number
}

/** Disposed it stops where it is. */
export class Producer implements AsyncDisposable {
  readonly #client: KafkaClient
  readonly #workload: Workload
  readonly #options: ProducerOptions
  readonly #over = new AbortController()
  #burst = 0
  #isFinishing = false
  #producing: Promise<void> = Promise.resolve()

  constructor(client: KafkaClient, workload: Workload, options: ProducerOptions) {
    this.#client = client
    this.#workload = workload
    this.#options = options
  }

  start(): void {
    this.#producing = this.#produce()
  }

  /** So many more, as fast as it can. Resolves when they are there. */
  async burst(records: number): Promise<void> {
    this.#burst += records
    while (this.#burst > 0 && !this.#over.signal.aborted) await sleep(PACE_MS)
  }

  /** Resolves when all is there. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    await this.#producing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort()
    await this.#producing
  }

  async #produce(): Promise<void> {
    const { signal } = this.#over
    const chunk = Math.ceil((this.#options.recordsPerSecond * PACE_MS) / 1000)
    while (!signal.aborted && !(this.#isFinishing && this.#workload.count >= this.#options.records)) {
      const isQuick = this.#isFinishing || this.#burst > 0
      await this.#send(isQuick ? AT_ONCE : chunk, signal)
      if (isQuick) this.#burst = Math.max(0, this.#burst - AT_ONCE)
      else await sleep(PACE_MS)
    }
  }

  async #send(count: number, signal: AbortSignal): Promise<void> {
    const { records, landed } = this.#workload.next(count)
    while (!signal.aborted) {
      // a broker that is away: what it took of them lies there twice then, which changes no row
      const offsets = await this.#client.produce(this.#options.topic, records).catch(() => undefined)
      if (offsets) return landed(offsets)
      await sleep(PACE_MS)
    }
  }
}
