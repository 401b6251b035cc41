// How many bytes of records the process holds that nobody took yet: fetched, unpacked, waiting for their turn or for schemas.

/** Of all together. Beyond it, no more is fetched. */
const MOST = 64 * 1024 * 1024
const ENOUGH = 56 * 1024 * 1024
const FEW = 48 * 1024 * 1024
/** An answer of more is large: brokers send a batch whole, however few bytes they are asked for. There is one at a time. */
export const LARGE = 16 * 1024 * 1024
/** Of one fetch, where there is no room for more. */
const LEAST_ASKED = 1024 * 1024

/** Bytes that are counted until they are released. */
export interface Hold {
  release(): void
}

/** Bytes of an answer that its client has not taken yet. They make nothing full: what is paused meanwhile would be dropped. */
export interface ReadHold extends Hold {
  /** They are waiting for their turn from now on. */
  taken(): void
}

export class FetchBudget {
  #held = 0
  #read = 0
  /** Large ones. */
  #large = 0
  #asked = 0
  #isFull = false
  readonly #listeners = new Set<() => void>()

  /** Nothing more is to be fetched for now. */
  get isFull(): boolean {
    return this.#isFull
  }

  get held(): number {
    return this.#held + this.#read
  }

  /** Some are read. */
  read(bytes: number): ReadHold {
    return new Reading(this, bytes)
  }

  /** Bytes of an answer, or less of them. */
  addRead(bytes: number): void {
    this.#read += bytes
  }

  /** A large answer, or one less. */
  addLarge(count: 1 | -1): void {
    this.#large += count
  }

  /** Counts bytes that wait, or less than none of them. */
  add(bytes: number): void {
    this.#held += bytes
    const isFull = this.#held >= (this.#isFull ? FEW : ENOUGH)
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    for (const listener of this.#listeners) listener()
  }

  /** Whether an answer of this length may be read. */
  admits(bytes: number): boolean {
    return bytes <= LARGE || this.#large === 0
  }

  /** A fetch goes out. @returns for how many bytes, `wanted` at most, and what counts them until its answer begins */
  ask(wanted: number): { readonly bytes: number } & Hold {
    const room = Math.max(LEAST_ASKED, MOST - this.held - this.#asked)
    const bytes = Math.min(wanted, room)
    this.#asked += bytes
    let isAsked = true
    return {
      bytes,
      release: () => {
        if (isAsked) this.#asked -= bytes
        isAsked = false
      },
    }
  }

  /** @param listener called when it is full, and when it no longer is */
  watch(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}

/** Millions of them pass where batches are of one record. */
class Reading implements ReadHold {
  readonly #budget: FetchBudget
  readonly #bytes: number
  #state: 'read' | 'taken' | 'released' = 'read'

  constructor(budget: FetchBudget, bytes: number) {
    this.#budget = budget
    this.#bytes = bytes
    budget.addRead(bytes)
    if (bytes > LARGE) budget.addLarge(1)
  }

  taken(): void {
    if (this.#state !== 'read') return
    this.#state = 'taken'
    this.#budget.addRead(-this.#bytes)
    this.#budget.add(this.#bytes)
  }

  release(): void {
    if (this.#state === 'released') return
    if (this.#bytes > LARGE) this.#budget.addLarge(-1)
    if (this.#state === 'read') this.#budget.addRead(-this.#bytes)
    else this.#budget.add(-this.#bytes)
    this.#state = 'released'
  }
}
