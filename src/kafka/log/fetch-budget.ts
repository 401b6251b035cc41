// Counts the bytes of records that the process holds, from the socket to the engine. A fetch takes room before it is sent (`ask`); its
// answer counts while it is read (`read`), each of its batches until it is unpacked (`addBatch`, `dropBatch`), and what was unpacked until
// it is taken (`add`).

/** No more is fetched beyond this total, in bytes. */
const MOST_BYTES = 64 * 1024 * 1024
/** The budget is full from ENOUGH_BYTES that wait on, until they are fewer than FEW_BYTES. */
const ENOUGH_BYTES = 56 * 1024 * 1024
const FEW_BYTES = 48 * 1024 * 1024
/** An answer of more bytes is large: brokers send whole batches, however few bytes are asked for. Only one is read at a time. */
export const LARGE = 16 * 1024 * 1024
/** A fetch asks for at least this, even if there is no room. */
const LEAST_ASKED = 1024 * 1024

/** Bytes that count until they are released. */
export interface Hold {
  release(): void
}

export class FetchBudget {
  /** Bytes that wait to be unpacked or taken, those of answers being read, and those that answers to come may have. */
  #held = 0
  #reading = 0
  #asked = 0
  /** Number of large answers being read, and of large batches that wait. */
  #largeCount = 0
  #isFull = false
  readonly #listeners = new Set<() => void>()

  /** Whether to stop fetching for now. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Bytes in memory. */
  get held(): number {
    return this.#held + this.#reading
  }

  /** Counts an answer while it is read. This does not make the budget full: its batches do, once they wait (`addBatch`). */
  read(bytes: number): Hold {
    this.#reading += bytes
    if (bytes > LARGE) this.#largeCount++
    return holdUntil(() => {
      if (bytes > LARGE) this.#largeCount--
      this.#reading -= bytes
    })
  }

  /** Counts a batch of an answer, which waits for its turn until `dropBatch` is called with the same number of bytes. There is one per
   *  batch, and batches may have one record each: so no object is made. */
  addBatch(bytes: number): void {
    if (bytes > LARGE) this.#largeCount++
    this.add(bytes)
  }

  dropBatch(bytes: number): void {
    if (bytes > LARGE) this.#largeCount--
    this.add(-bytes)
  }

  /** Counts bytes that wait for their turn, and tells the listeners if that makes it full or ends it.
   *  @param bytes may be negative */
  add(bytes: number): void {
    this.#held += bytes
    const isFull = this.#held >= (this.#isFull ? FEW_BYTES : ENOUGH_BYTES)
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    for (const listener of this.#listeners) listener()
  }

  /** Whether an answer of this size may be read now. */
  admits(bytes: number): boolean {
    return bytes <= LARGE || this.#largeCount === 0
  }

  /** Takes room for a fetch that is sent.
   *  @returns for how many bytes, at most `wanted`; to be released when the answer begins */
  ask(wanted: number): { readonly bytes: number } & Hold {
    const room = Math.max(LEAST_ASKED, MOST_BYTES - this.held - this.#asked)
    const bytes = Math.min(wanted, room)
    this.#asked += bytes
    return { bytes, ...holdUntil(() => (this.#asked -= bytes)) }
  }

  /** @param listener called whenever `isFull` changes */
  watch(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}

/** @returns a hold whose `release` does `end` the first time, and nothing after that */
function holdUntil(end: () => void): Hold {
  let isHeld = true
  return {
    release: () => {
      if (isHeld) end()
      isHeld = false
    },
  }
}
