// Owns an output stream: whole lines, in order, gathered over one turn of the event loop, never more buffered than the reader takes.
// Knows nothing of what a line says.

import { scrubLine } from './secrets/scrub-line.ts'

/** What lines are written to. */
export interface Sink {
  write(bytes: Uint8Array, written: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Above this a writer waits until the reader has taken what there is. */
const HIGH_MARK = 64 * 1024

/** Lines written in one turn leave as one write. After a failure (EPIPE, say) every write rejects with it. */
export class Output {
  readonly #stream: Sink
  readonly #scrub: (text: string) => string
  #pending: Uint8Array[] = []
  #unwritten = 0
  #failure: Error | undefined
  #drained: (() => void)[] = []

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

  /** @param line with its line feed: a text of ours, which is scrubbed, or bytes of the user's, which stay as they are.
   *  Resolves when there is room for the next one, not when it was read.
   *  @throws the stream's failure */
  async write(line: string | Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure
    const bytes = typeof line === 'string' ? Buffer.from(scrubLine(line, this.#scrub)) : line
    if (this.#pending.push(bytes) === 1) setImmediate(() => this.#send())
    this.#unwritten += bytes.length
    if (this.#unwritten >= HIGH_MARK) await this.flush()
  }

  /** Resolves when everything written has left.
   *  @throws the stream's failure */
  async flush(): Promise<void> {
    while (this.#unwritten > 0 && !this.#failure) await new Promise<void>((resolve) => this.#drained.push(resolve))
    if (this.#failure) throw this.#failure
  }

  #send(): void {
    const lines = this.#pending
    this.#pending = []
    const length = lines.reduce((sum, line) => sum + line.length, 0)
    this.#stream.write(Buffer.concat(lines), () => {
      this.#unwritten -= length
      if (this.#unwritten === 0) this.#wake()
    })
  }

  #wake(): void {
    const waiting = this.#drained
    this.#drained = []
    for (const resolve of waiting) resolve()
  }
}
