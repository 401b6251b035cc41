// Bodies on their way out of the process, as the client sees them: a service may answer before it has read the whole of one,
// and what is written over too early arrives altered. Knows no answer.

import type { Book } from './book.ts'
import type { VirtualClock } from './virtual-clock.ts'

const LAW = 'a body stays as it is until it has left and its outcome is there'
/** One in so many takes its time, each another one: not by chance, which is drawn for other things. */
const SLOW = 8
const STEP = (Math.sqrt(5) - 1) / 2

export class LeavingBodies {
  readonly #clock: VirtualClock
  readonly #book: Book
  #leaving = 0
  #count = 0

  constructor(clock: VirtualClock, book: Book) {
    this.#clock = clock
    this.#book = book
  }

  /** Nothing waits to leave. */
  get isQuiet(): boolean {
    return this.#leaving === 0
  }

  /** @param mostMs how long it may take, whatever its answer
   *  @returns to be called when its outcome is there */
  leave(body: Uint8Array, mostMs: number): () => void {
    const copy = Buffer.from(body)
    const compare = (): void => {
      if (!copy.equals(body)) this.#book.break(LAW, `${copy.toString()} became ${Buffer.from(body).toString()}`)
    }
    if (++this.#count % SLOW === 0) {
      this.#leaving++
      this.#clock.at(((this.#count * STEP) % 1) * mostMs, () => {
        compare()
        this.#leaving--
      })
    }
    return compare
  }
}
