// Splits what a socket receives into whole answers (size, correlation id, body), and replaces those to fetches. The client must get
// whole answers only: it would take the data of its next connection for the rest of one that was cut off.

const SIZE_BYTES = 4
const HEAD_BYTES = 8
/** No request has a larger answer. */
const LARGEST = 256 * 1024 * 1024
/** Bytes kept of an answer that is refused. */
const REFUSED_BYTES = 256 * 1024

/** Handles answers to fetches. May throw nothing but a RangeError, for an answer that is not understood. */
export interface FetchAnswers {
  /** An answer begins. @param bytes its size
   *  @returns the method to call at its end; only for `read` is the whole answer kept */
  begun(bytes: number): 'read' | 'later' | 'refused'
  /** @param frame with size and correlation id, in memory of its own @returns the answer to pass on instead */
  whole(frame: Buffer): Buffer
  later(correlationId: number): Buffer
  /** @param head the beginning of the answer */
  refused(head: Buffer): Buffer
}

/** What is done with an answer, from its head on. */
interface AnswerPlan {
  /** Bytes of its beginning that are kept; the rest is dropped. */
  readonly kept: number
  /** Makes of those what is passed on. */
  readonly finish: (kept: Buffer) => Buffer
}

/** The frames of one socket: `asked` or `watch` for each request before it is sent, `push` for each chunk that arrives. */
export class FetchFrames {
  readonly #answers: FetchAnswers
  /** Correlation ids of fetches without an answer so far. */
  readonly #asked = new Set<number>()
  /** Callbacks for answers to other requests, by correlation id. */
  readonly #watched = new Map<number, (frame: Buffer) => void>()
  readonly #head = Buffer.alloc(HEAD_BYTES)
  /** The buffer being filled: first the head, then the whole frame. */
  #frame = this.#head.subarray(0, SIZE_BYTES)
  #filled = 0
  /** Bytes after the frame that are dropped. */
  #dropped = 0
  #finish: AnswerPlan['finish'] = passed

  constructor(answers: FetchAnswers) {
    this.#answers = answers
  }

  /** A fetch is sent. */
  asked(correlationId: number): void {
    this.#asked.add(correlationId)
  }

  /** Another request is sent. @param look called with its whole answer before that is passed on; `push` throws what it throws */
  watch(correlationId: number, look: (frame: Buffer) => void): void {
    this.#watched.set(correlationId, look)
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
        const dropped = Math.min(this.#dropped, chunk.length - at)
        at += dropped
        this.#dropped -= dropped
      }
      if (this.#filled < this.#frame.length) continue
      if (this.#frame.buffer === this.#head.buffer && this.#begins()) continue
      if (this.#dropped === 0) this.#pass(pass)
    }
  }

  /** The head is filled: decides what is kept of the answer.
   *  @returns whether more of it is to come */
  #begins(): boolean {
    const size = this.#head.readInt32BE(0)
    if (size < 0) throw new RangeError(`it announces an answer of ${size} bytes`)
    // messages of a login may be shorter
    if (this.#frame.length === SIZE_BYTES && size >= SIZE_BYTES) {
      this.#frame = this.#head
      return true
    }
    const id = this.#filled === HEAD_BYTES ? this.#head.readInt32BE(SIZE_BYTES) : undefined
    const bytes = SIZE_BYTES + size
    const { kept, finish } = this.#planOf(bytes, id)
    this.#finish = finish
    this.#frame = Buffer.allocUnsafeSlow(kept)
    this.#head.copy(this.#frame, 0, 0, this.#filled)
    this.#dropped = bytes - kept
    return this.#filled < kept || this.#dropped > 0
  }

  #planOf(bytes: number, id: number | undefined): AnswerPlan {
    if (id === undefined) return this.#wholePlan(bytes, passed)
    const look = this.#watched.get(id)
    this.#watched.delete(id)
    if (look) return this.#wholePlan(bytes, (frame) => (look(frame), frame))
    if (!this.#asked.delete(id)) return this.#wholePlan(bytes, passed)
    const fate = this.#answers.begun(bytes)
    if (fate === 'later') return { kept: HEAD_BYTES, finish: () => this.#answers.later(id) }
    if (fate === 'read') return this.#wholePlan(bytes, (frame) => this.#answers.whole(frame))
    return { kept: Math.min(bytes, REFUSED_BYTES), finish: (head) => this.#answers.refused(head) }
  }

  #wholePlan(bytes: number, finish: AnswerPlan['finish']): AnswerPlan {
    if (bytes > LARGEST) throw new RangeError(`it announces an answer of ${bytes - SIZE_BYTES} bytes`)
    return { kept: bytes, finish }
  }

  #pass(pass: (bytes: Buffer) => void): void {
    const answer = this.#finish(this.#frame)
    this.#frame = this.#head.subarray(0, SIZE_BYTES)
    this.#filled = 0
    this.#finish = passed
    pass(answer)
  }
}

function passed(frame: Buffer): Buffer {
  return frame
}
