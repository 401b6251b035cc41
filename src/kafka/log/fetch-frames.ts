// Splits what a socket receives into frames, which are whole answers (size, correlation id, body), and replaces those to fetches. The Kafka
// library must get whole answers only: it would take the data of its next connection for the rest of one that was cut off.

const SIZE_BYTES = 4
/** Size and correlation id. */
const HEAD_BYTES = 8
/** The most bytes that are kept of an answer: no valid one is as large. */
const LARGEST_BYTES = 256 * 1024 * 1024

/** The plan for an answer, made at its head. */
export interface AnswerPlan {
  /** How many bytes of its beginning are kept, size and correlation id included; what follows is dropped. */
  readonly keptBytes: number
  /** Makes the answer that is passed on from the bytes that were kept, in memory of their own. Throws only a RangeError, at bad bytes. */
  readonly finish: (kept: Buffer) => Buffer
}

/** The frames of one socket. Call `plan` or `watch` for requests before they are sent, and `push` for each chunk that arrives. */
export class FetchFrames {
  /** Makers of plans for answers to come, by correlation id. */
  readonly #plans = new Map<number, (bytes: number) => AnswerPlan>()
  readonly #head = Buffer.alloc(HEAD_BYTES)
  /** The buffer being filled: a view of `#head` for the size, then `#head`, then memory of its own for what is kept of the answer. */
  #frame = this.#head.subarray(0, SIZE_BYTES)
  #filled = 0
  /** Bytes of the answer behind those in `#frame` that are still to be dropped. */
  #toDrop = 0
  #finish: AnswerPlan['finish'] = (frame) => frame

  /** Plans what becomes of the answer to a request. @param planOf called with the size of the answer in bytes, when it begins to arrive */
  plan(correlationId: number, planOf: (bytes: number) => AnswerPlan): void {
    this.#plans.set(correlationId, planOf)
  }

  /** Calls `look` with the whole answer to a request before that is passed on. `push` throws what `look` throws. */
  watch(correlationId: number, look: (frame: Buffer) => void): void {
    this.plan(correlationId, (bytes) => ({ keptBytes: bytes, finish: (frame) => (look(frame), frame) }))
  }

  /** Takes bytes that arrived. @param pass called with each answer that they complete, in order
   *  @throws RangeError if the size of an answer is impossible: what follows cannot be split */
  push(chunk: Buffer, pass: (bytes: Buffer) => void): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#filled < this.#frame.length) {
        const copied = chunk.copy(this.#frame, this.#filled, at)
        at += copied
        this.#filled += copied
      } else {
        const dropped = Math.min(this.#toDrop, chunk.length - at)
        at += dropped
        this.#toDrop -= dropped
      }
      if (this.#filled < this.#frame.length) continue
      // while `#frame` is `#head`, or the view of it, what is kept of the answer is still to be decided
      if (this.#frame.buffer === this.#head.buffer && this.#beginAnswer()) continue
      if (this.#toDrop === 0) this.#pass(pass)
    }
  }

  /** Called when the size is filled, and when the whole head is: goes on to the head, or decides what is kept of the answer.
   *  @returns whether more of it is to come */
  #beginAnswer(): boolean {
    const size = this.#head.readInt32BE(0)
    if (size < 0) throw new RangeError(`it announces an answer of ${size} bytes`)
    // raw messages of a login have no correlation id, and may be shorter than one
    if (this.#frame.length === SIZE_BYTES && size >= SIZE_BYTES) {
      this.#frame = this.#head
      return true
    }
    const bytes = SIZE_BYTES + size
    const { keptBytes, finish } = this.#planOf(bytes)
    if (keptBytes > LARGEST_BYTES) throw new RangeError(`it announces an answer of ${size} bytes`)
    this.#finish = finish
    this.#frame = Buffer.allocUnsafeSlow(keptBytes)
    this.#head.copy(this.#frame, 0, 0, this.#filled)
    this.#toDrop = bytes - keptBytes
    return this.#filled < keptBytes || this.#toDrop > 0
  }

  /** The plan for the answer that begins, of this size; without one it is passed on unchanged. */
  #planOf(bytes: number): AnswerPlan {
    const unchanged = { keptBytes: bytes, finish: (frame: Buffer) => frame }
    if (this.#filled < HEAD_BYTES) return unchanged
    const id = this.#head.readInt32BE(SIZE_BYTES)
    const planOf = this.#plans.get(id)
    this.#plans.delete(id)
    return planOf?.(bytes) ?? unchanged
  }

  #pass(pass: (bytes: Buffer) => void): void {
    const answer = this.#finish(this.#frame)
    this.#frame = this.#head.subarray(0, SIZE_BYTES)
    this.#filled = 0
    pass(answer)
  }
}
