// Beginnings of Kafka Connect's wrappers, from their first byte up to the payload, so with the schema. A topic's values have few
// different ones, so what a schema says is found once for each and kept.

import type { Decimals } from './connect-decimal.ts'

/** A topic has a schema for each version of its table. */
const MOST_STARTS = 16
const MOST_BYTES = 256 * 1024

export interface WrapperStart {
  readonly bytes: Buffer
  /** What its schema says of decimals. */
  readonly decimals: Decimals | undefined
}

export class WrapperStarts {
  readonly #starts: WrapperStart[] = []
  /** The one found last: most probably the next value has it too. */
  #last = 0
  #oldest = 0

  /** The known one that a wrapper begins with. */
  find(wrapper: Buffer): WrapperStart | undefined {
    const starts = this.#starts
    for (let step = 0, index = this.#last; step < starts.length; step++) {
      const start = starts[index]!
      const { length } = start.bytes
      if (length < wrapper.length && wrapper.compare(start.bytes, 0, length, 0, length) === 0) {
        this.#last = index
        return start
      }
      index = index + 1 === starts.length ? 0 : index + 1
    }
    return undefined
  }

  /** Keeps a copy of one, in the place of the oldest if there are too many. */
  add(bytes: Buffer, decimals: Decimals | undefined): void {
    if (bytes.length > MOST_BYTES) return
    this.#starts[this.#oldest] = { bytes: Buffer.from(bytes), decimals }
    this.#oldest = (this.#oldest + 1) % MOST_STARTS
  }
}
