// What a broker's socket brings, answer by answer: kafkajs keeps the part of one that was cut off, and takes what its next
// connection brings for the rest. Fetch answers are looked at before they pass. Knows how answers are framed (size, correlation
// id), and nothing of what is in them.

const SIZE_BYTES = 4
const HEAD_BYTES = 8
/** A larger one is none that was asked for. */
const LARGEST = 256 * 1024 * 1024

/** One socket's. */
export class FetchFrames {
  readonly #look: (frame: Buffer) => void
  /** Correlation ids of fetches without an answer so far. */
  readonly #asked = new Set<number>()
  readonly #size = Buffer.alloc(SIZE_BYTES)
  #frame = this.#size
  #filled = 0

  /** @param look is given each whole fetch answer, with size and correlation id, in memory of its own; must not throw */
  constructor(look: (frame: Buffer) => void) {
    this.#look = look
  }

  /** A fetch went out. */
  asked(correlationId: number): void {
    this.#asked.add(correlationId)
  }

  /** @param chunk as it came @param pass is given each answer when it is whole, in order
   *  @throws RangeError where an answer has no possible size: nothing behind it can be told apart */
  push(chunk: Buffer, pass: (bytes: Buffer) => void): void {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(this.#frame, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled === SIZE_BYTES && this.#frame === this.#size) this.#begin()
      if (this.#filled === this.#frame.length && this.#frame !== this.#size) this.#end(pass)
    }
  }

  #begin(): void {
    const size = this.#size.readInt32BE(0)
    if (size < 0 || size > LARGEST) throw new RangeError(`it announces an answer of ${size} bytes`)
    this.#frame = Buffer.allocUnsafeSlow(SIZE_BYTES + size)
    this.#size.copy(this.#frame)
  }

  #end(pass: (bytes: Buffer) => void): void {
    const frame = this.#frame
    this.#frame = this.#size
    this.#filled = 0
    // what is exchanged for a login may be shorter
    if (frame.length >= HEAD_BYTES && this.#asked.delete(frame.readInt32BE(SIZE_BYTES))) this.#look(frame)
    pass(frame)
  }
}
