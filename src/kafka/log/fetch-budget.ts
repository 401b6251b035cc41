// Counts the bytes of records in memory, from the socket to the engine that writes them, and so decides how much may be fetched. A fetch
// takes room before it is sent (`takeRoom`); its answer counts while it is received (`holdAnswer`), each of its batches until it is
// unpacked (`addBatch`, `dropBatch`), and unpacked records until the engine takes them (`add`).

/** The most bytes that may count together, as far as fetches can be kept to it. */
const MOST_BYTES = 64 * 1024 * 1024
/** The budget becomes full when this many bytes wait, and stays so until fewer than FEW_BYTES do. */
const ENOUGH_BYTES = 56 * 1024 * 1024
const FEW_BYTES = 48 * 1024 * 1024
/** An answer or batch of more bytes is large, and only one is held at a time. (Brokers send whole batches, whatever a fetch asks for.) */
export const LARGE = 16 * 1024 * 1024
/** The room that a fetch gets even if there is none, so that reading goes on. */
const LEAST_ROOM = 1024 * 1024

/** Bytes that count until they are released. */
export interface Hold {
  release(): void
}

export class FetchBudget {
  /** Bytes that wait: of packed batches, and of unpacked records. */
  #waiting = 0
  /** Bytes of answers that are being received. */
  #receiving = 0
  /** Bytes that answers to come may have. */
  #promised = 0
  /** Number of large answers being received, and of large batches that wait. */
  #largeCount = 0
  #isFull = false
  readonly #listeners = new Set<() => void>()

  /** Whether to stop fetching for now. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Bytes in memory. */
  get held(): number {
    return this.#waiting + this.#receiving
  }

  /** Counts an answer until it is taken apart. This does not make the budget full, but its batches may, once they wait (`addBatch`). */
  holdAnswer(bytes: number): Hold {
    this.#receiving += bytes
    if (bytes > LARGE) this.#largeCount++
    return holdUntil(() => {
      if (bytes > LARGE) this.#largeCount--
      this.#receiving -= bytes
    })
  }

  /** Counts a packed batch until `dropBatch` is called with the same number. There is no `Hold`, as batches may be as many as records. */
  addBatch(bytes: number): void {
    if (bytes > LARGE) this.#largeCount++
    this.add(bytes)
  }

  dropBatch(bytes: number): void {
    if (bytes > LARGE) this.#largeCount--
    this.add(-bytes)
  }

  /** Counts bytes that wait, and tells listeners when the budget is full or has room again. @param bytes negative to subtract them */
  add(bytes: number): void {
    this.#waiting += bytes
    const isFull = this.#waiting >= (this.#isFull ? FEW_BYTES : ENOUGH_BYTES)
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    for (const listener of this.#listeners) listener()
  }

  /** Whether an answer of this size may be received now: a large one only while no other large one is held. */
  admits(bytes: number): boolean {
    return bytes <= LARGE || this.#largeCount === 0
  }

  /** Takes room for the answer to a fetch that is about to be sent.
   *  @returns the bytes that it may ask for, at most `wanted`; to be released when the answer begins */
  takeRoom(wanted: number): { readonly bytes: number } & Hold {
    const room = Math.max(LEAST_ROOM, MOST_BYTES - this.held - this.#promised)
    const bytes = Math.min(wanted, room)
    this.#promised += bytes
    return { bytes, ...holdUntil(() => (this.#promised -= bytes)) }
  }

  /** Watches `isFull`. @param listener called whenever it changes, until what is returned is disposed */
  watch(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}

/** @returns a hold whose `release` calls `end` the first time, and does nothing after that */
function holdUntil(end: () => void): Hold {
  let isHeld = true
  return {
    release: () => {
      if (isHeld) end()
      isHeld = false
    },
  }
}
