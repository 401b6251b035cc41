// A clock for tests: time passes only when a test says so.

import type { Clock } from '../../../core/types.ts'

export class TestClock implements Clock {
  #now = 1_000_000
  readonly #waiting = new Set<{ readonly at: number; readonly end: () => void }>()

  now(): number {
    return this.#now
  }

  random(): number {
    return 0.5
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const entry = { at: this.#now + ms, end: () => resolve() }
      this.#waiting.add(entry)
      signal.addEventListener('abort', () => this.#end(entry), { once: true })
    })
  }

  /** What is due meanwhile comes in its order, each with all that follows from it. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms
    await settle()
    for (;;) {
      const next = [...this.#waiting].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#now = next.at
      this.#end(next)
      await settle()
    }
    this.#now = until
  }

  #end(entry: { readonly at: number; readonly end: () => void }): void {
    this.#waiting.delete(entry)
    entry.end()
  }
}

/** Until nothing follows without time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
