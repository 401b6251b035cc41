// The snapshots of the last seconds, to tell rates that neither jump nor lag behind.

import type { StreamFacts } from './stream-facts.ts'

export class RecentFacts {
  readonly #spanMs: number
  #kept: StreamFacts[] = []

  /** @param spanMs how far back the rates look */
  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  add(facts: StreamFacts): void {
    this.#kept.push(facts)
    // one that is older than the span stays: between it and the newest lies the whole span
    while (this.#kept.length > 2 && this.#kept[1]!.at <= facts.at - this.#spanMs) this.#kept.shift()
  }

  get newest(): StreamFacts | undefined {
    return this.#kept.at(-1)
  }

  /** undefined: there is only one yet. */
  get since(): StreamFacts | undefined {
    return this.#kept.length > 1 ? this.#kept[0] : undefined
  }
}
