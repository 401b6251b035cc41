// What a broker's socket brings, answer by answer: the client keeps the part of one that was cut off, and takes what its next
// connection brings for the rest. Another answer passes in the place of each to a fetch. Knows how answers are framed (size,
// correlation id), and nothing of what is in them.

const SIZE_BYTES = 4
const HEAD_BYTES = 8
/** A larger one is none that was asked for. */
const LARGEST = 256 * 1024 * 1024
/** Bytes that are looked at of an answer that is refused. */
const REFUSED_BYTES = 256 * 1024

/** What becomes of answers to fetches; must not throw, but for RangeError where an answer is not understood. */
export interface FetchAnswers {
  /** One begins. @param bytes of all of it
   *  @returns `later`, `refused`: it is not kept, and that is called when it has passed */
  begun(bytes: number): 'read' | 'later' | 'refused'
  /** @param frame with size and correlation id, in memory of its own @returns what passes in its place */
  whole(frame: Buffer): Buffer
  later(correlationId: number): Buffer
  /** @param head its beginning */
  refused(head: Buffer): Buffer
}

/** One socket's. */
export class FetchFrames {
  readonly #answers: FetchAnswers
  /** Correlation ids of fetches without an answer so far. */
  readonly #asked = new Set<number>()
  /** Who looks at answers to other requests, by correlation id. */
  readonly #watched = new Map<number, (frame: Buffer) => void>()
  readonly #head = Buffer.alloc(HEAD_BYTES)
  /** What is filled: the head's part, then the frame. */
  #frame = this.#head.subarray(0, SIZE_BYTES)
  #filled = 0
  /** Bytes behind the frame that are not kept. */
  #dropped = 0
  #end: (frame: Buffer) => Buffer = passed

  constructor(answers: FetchAnswers) {
    this.#answers = answers
  }

  /** A fetch went out. */
  asked(correlationId: number): void {
    this.#asked.add(correlationId)
  }

  /** Another request went out. @param look is given its whole answer, before that passes; what it throws is thrown by `push` */
  watch(correlationId: number, look: (frame: Buffer) => void): void {
    this.#watched.set(correlationId, look)
  }

  /** @param chunk as it came @param pass is given each answer when it is whole, in order
   *  @throws RangeError where an answer has no possible size: nothing behind it can be told apart */
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

  /** @returns whether there is more of it to come */
  #begins(): boolean {
    const size = this.#head.readInt32BE(0)
    if (size < 0) throw new RangeError(`it announces an answer of ${size} bytes`)
    // what is exchanged for a login may be shorter
    if (this.#frame.length === SIZE_BYTES && size >= SIZE_BYTES) {
      this.#frame = this.#head
      return true
    }
    const id = this.#filled === HEAD_BYTES ? this.#head.readInt32BE(SIZE_BYTES) : undefined
    const bytes = SIZE_BYTES + size
    const kept = this.#keptOf(bytes, id !== undefined && this.#asked.delete(id) ? id : undefined)
    const look = id === undefined ? undefined : this.#watched.get(id)
    if (look) this.#end = (frame) => (look(frame), frame)
    if (look) this.#watched.delete(id!)
    this.#frame = Buffer.allocUnsafeSlow(kept)
    this.#head.copy(this.#frame, 0, 0, this.#filled)
    this.#dropped = bytes - kept
    return this.#filled < kept || this.#dropped > 0
  }

  /** @param fetch its id, if it answers one @returns how many of its bytes are kept */
  #keptOf(bytes: number, fetch: number | undefined): number {
    this.#end = passed
    const fate = fetch === undefined ? undefined : this.#answers.begun(bytes)
    if (fate === undefined || fate === 'read') {
      if (bytes > LARGEST) throw new RangeError(`it announces an answer of ${bytes - SIZE_BYTES} bytes`)
      if (fate) this.#end = (frame) => this.#answers.whole(frame)
      return bytes
    }
    if (fate === 'refused') {
      this.#end = (head) => this.#answers.refused(head)
      return Math.min(bytes, REFUSED_BYTES)
    }
    this.#end = () => this.#answers.later(fetch!)
    return HEAD_BYTES
  }

  #pass(pass: (bytes: Buffer) => void): void {
    const answer = this.#end(this.#frame)
    this.#frame = this.#head.subarray(0, SIZE_BYTES)
    this.#filled = 0
    this.#end = passed
    pass(answer)
  }
}

function passed(frame: Buffer): Buffer {
  return frame
}
