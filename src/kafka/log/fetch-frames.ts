// Splits what a socket receives into whole answers (size, correlation id, body), and replaces those to fetches. The client must get
// whole answers only: it would take the data of its next connection for the rest of one that was cut off.

const SIZE_BYTES = 4
const HEAD_BYTES = 8
/** No request has a larger answer. */
const LARGEST_BYTES = 256 * 1024 * 1024

/** The plan for an answer, made at its head. */
export interface AnswerPlan {
  /** Bytes of its beginning that are kept, size and correlation id included; the rest is dropped. */
  readonly kept: number
  /** Makes of those, which are in memory of their own, what is passed on. Throws nothing but a RangeError, where they are not understood. */
  readonly finish: (kept: Buffer) => Buffer
}

/** The frames of one socket: `plan` or `watch` for requests before they are sent, `push` for each chunk that arrives. */
export class FetchFrames {
  /** Makers of plans for answers to come, by correlation id. */
  readonly #plans = new Map<number, (bytes: number) => AnswerPlan>()
  readonly #head = Buffer.alloc(HEAD_BYTES)
  /** The buffer being filled: first the head, then the whole frame. */
  #frame = this.#head.subarray(0, SIZE_BYTES)
  #filled = 0
  /** Bytes after the frame that are still to be dropped. */
  #toDrop = 0
  #finish: AnswerPlan['finish'] = (frame) => frame

  /** A request is sent. @param planOf called with the size of its answer, where that begins */
  plan(correlationId: number, planOf: (bytes: number) => AnswerPlan): void {
    this.#plans.set(correlationId, planOf)
  }

  /** A request is sent. @param look called with its whole answer before that is passed on; `push` throws what it throws */
  watch(correlationId: number, look: (frame: Buffer) => void): void {
    this.plan(correlationId, (bytes) => ({ kept: bytes, finish: (frame) => (look(frame), frame) }))
  }

  /** @param chunk as received @param pass called with each whole answer, in order
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
      if (this.#frame.buffer === this.#head.buffer && this.#beginAnswer()) continue
      if (this.#toDrop === 0) this.#pass(pass)
    }
  }

  /** The head is filled: decides what is kept of the answer.
   *  @returns whether more of it is to come */
  #beginAnswer(): boolean {
    const size = this.#head.readInt32BE(0)
    if (size < 0) throw new RangeError(`it announces an answer of ${size} bytes`)
    // messages of a login may be shorter
    if (this.#frame.length === SIZE_BYTES && size >= SIZE_BYTES) {
      this.#frame = this.#head
      return true
    }
    const bytes = SIZE_BYTES + size
    const { kept, finish } = this.#planOf(bytes)
    if (kept > LARGEST_BYTES) throw new RangeError(`it announces an answer of ${size} bytes`)
    this.#finish = finish
    this.#frame = Buffer.allocUnsafeSlow(kept)
    this.#head.copy(this.#frame, 0, 0, this.#filled)
    this.#toDrop = bytes - kept
    return this.#filled < kept || this.#toDrop > 0
  }

  #planOf(bytes: number): AnswerPlan {
    const passed = { kept: bytes, finish: (frame: Buffer) => frame }
    if (this.#filled < HEAD_BYTES) return passed
    const id = this.#head.readInt32BE(SIZE_BYTES)
    const planOf = this.#plans.get(id)
    this.#plans.delete(id)
    return planOf?.(bytes) ?? passed
  }

  #pass(pass: (bytes: Buffer) => void): void {
    const answer = this.#finish(this.#frame)
    this.#frame = this.#head.subarray(0, SIZE_BYTES)
    this.#filled = 0
    pass(answer)
  }
}
