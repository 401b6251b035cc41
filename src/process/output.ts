// Owns an output stream: whole lines, in order, those of one turn of the event loop in one write; writers wait for a slow reader.

import type { Sink } from '../secrets/guard-output.ts'
import { scrubLine } from '../secrets/scrubber.ts'

/** Above this a writer waits until the reader has taken what there is. */
const HIGH_MARK_BYTES = 64 * 1024

/** Lines of more bytes than this in all are not joined for one write, as the copy would need as much memory again. */
const LONG_BYTES = 8 * 1024 * 1024

/** A stream that lines are written to. After a failure (EPIPE, say) every write rejects with it. */
export class Output {
  readonly #stream: Sink
  readonly #scrub: (text: string) => string
  /** Lines of this turn of the event loop, or pieces of them, that the stream has not been given yet. */
  #pending: Uint8Array[] = []
  /** Bytes that the stream has not reported as written. */
  #unwrittenBytes = 0
  #failure: Error | undefined
  /** Functions to call when everything is written, or the stream has failed. */
  #waiting: (() => void)[] = []

  /** @param onFailure called once, when the reader is gone or the stream broken
   *  @param scrub takes secrets out of lines that are text */
  constructor(stream: Sink, onFailure: (error: Error) => void = () => {}, scrub = (text: string): string => text) {
    this.#stream = stream
    this.#scrub = scrub
    stream.on('error', (error: Error) => {
      if (this.#failure) return
      this.#failure = error
      onFailure(error)
      this.#wake()
    })
  }

  /** Writes a line. Resolves when there is room for the next one, not when it was read.
   *  @param line with its line feed: a text of ours, which is scrubbed, or the user's bytes, in one piece or several, which stay the same
   *  @throws the stream's failure */
  async write(line: string | Uint8Array | readonly Uint8Array[]): Promise<void> {
    if (this.#failure) throw this.#failure
    if (this.#pending.length === 0) setImmediate(() => this.#send())
    for (const bytes of this.#piecesOf(line)) {
      this.#pending.push(bytes)
      this.#unwrittenBytes += bytes.length
    }
    if (this.#unwrittenBytes >= HIGH_MARK_BYTES) await this.flush()
  }

  /** Resolves when everything written has left.
   *  @throws the stream's failure */
  async flush(): Promise<void> {
    while (this.#unwrittenBytes > 0 && !this.#failure) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (this.#failure) throw this.#failure
  }

  /** Returns the stream's failure once the lines of this turn are handed to it; waits for no reader. `undefined` when there is none. */
  async failure(): Promise<Error | undefined> {
    // runs after the `setImmediate` of these lines, which came first
    await new Promise((resolve) => setImmediate(resolve))
    return this.#failure
  }

  #piecesOf(line: string | Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] {
    if (typeof line === 'string') return [Buffer.from(scrubLine(line, this.#scrub))]
    return line instanceof Uint8Array ? [line] : line
  }

  #send(): void {
    const pieces = this.#pending
    this.#pending = []
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (length > LONG_BYTES) for (const piece of pieces) this.#give(piece)
    else this.#give(Buffer.concat(pieces))
  }

  #give(bytes: Uint8Array): void {
    this.#stream.write(bytes, () => {
      this.#unwrittenBytes -= bytes.length
      if (this.#unwrittenBytes === 0) this.#wake()
    })
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
