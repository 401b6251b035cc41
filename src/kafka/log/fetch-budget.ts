// Counts the bytes of records that the process holds: fetched, unpacked, waiting for their turn or for schemas. A fetch asks for room
// before it is sent (`ask`), each batch of its answer is counted as it is read (`read`), and what waits for its turn is counted on
// (`taken`, `add`) until it is released.

/** No more is fetched beyond this total. */
const MOST = 64 * 1024 * 1024
const ENOUGH = 56 * 1024 * 1024
const FEW = 48 * 1024 * 1024
/** An answer above this is large: brokers send whole batches, however few bytes are asked for. Only one is read at a time. */
export const LARGE = 16 * 1024 * 1024
/** A fetch asks for at least this, even if there is no room. */
const LEAST_ASKED = 1024 * 1024

/** Bytes that count until they are released. */
export interface Hold {
  release(): void
}

/** Bytes of an answer. They make the budget full only once they are taken: a full budget pauses partitions, and the client drops what
 *  it fetched of a paused one. */
export interface ReadHold extends Hold {
  /** The bytes were handed on, and now wait for their turn. */
  taken(): void
}

export class FetchBudget {
  /** Bytes that wait for their turn, those read and not taken yet, and those that answers to come may have. */
  #held = 0
  #read = 0
  #asked = 0
  /** Number of large answers. */
  #large = 0
  #isFull = false
  readonly #listeners = new Set<() => void>()

  /** Whether to stop fetching for now. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Bytes in memory. */
  get held(): number {
    return this.#held + this.#read
  }

  /** Counts bytes of an answer that is read. */
  read(bytes: number): ReadHold {
    return new Reading(this, bytes)
  }

  /** For the hold of `read`.
   *  @param bytes may be negative */
  addRead(bytes: number): void {
    this.#read += bytes
  }

  /** For the hold of `read`. */
  addLarge(count: 1 | -1): void {
    this.#large += count
  }

  /** Counts bytes that wait for their turn, and tells the listeners if that makes it full or ends it.
   *  @param bytes may be negative */
  add(bytes: number): void {
    this.#held += bytes
    const isFull = this.#held >= (this.#isFull ? FEW : ENOUGH)
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    for (const listener of this.#listeners) listener()
  }

  /** Whether an answer of this size may be read now. */
  admits(bytes: number): boolean {
    return bytes <= LARGE || this.#large === 0
  }

  /** Takes room for a fetch that is sent.
   *  @returns for how many bytes, at most `wanted`; to be released when the answer begins */
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

  /** @param listener called whenever `isFull` changes */
  watch(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}

/** A class, for speed: there is one per batch, and batches may have one record each. */
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
