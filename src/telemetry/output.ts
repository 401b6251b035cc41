// Owns an output stream: whole lines, in order, gathered over one turn of the event loop, never more buffered than the reader takes.
// Knows nothing of what a line says.

import type { Writable } from 'node:stream'

/** Above this a writer waits until the reader has taken what there is. */
const HIGH_MARK = 64 * 1024

/** Lines written in one turn leave as one write. After a failure (EPIPE, say) every write rejects with it. */
export class Output {
  readonly #stream: Writable
  #pending: (string | Uint8Array)[] = []
  #unwritten = 0
  #failure: Error | undefined
  #drained: (() => void)[] = []

  /** @param onFailure called once, when the reader is gone or the stream broken */
  constructor(stream: Writable, onFailure: (error: Error) => void = () => {}) {
    this.#stream = stream
    stream.on('error', (error: Error) => {
      if (this.#failure) return
      this.#failure = error
      onFailure(error)
      this.#wake()
    })
  }

  /** @param line with its line feed. Resolves when there is room for the next one, not when it was read.
   *  @throws the stream's failure */
  async write(line: string | Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure
    if (this.#pending.push(line) === 1) setImmediate(() => this.#send())
    this.#unwritten += line.length
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
    const bytes = Buffer.concat(lines.map((line) => (typeof line === 'string' ? Buffer.from(line) : line)))
    this.#stream.write(bytes, () => {
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
