// A pipe's bytes, chunk by chunk, read into one buffer again and again: no allocation a chunk, and nothing is read ahead
// of its use.

import { Socket } from 'node:net'

/** The input that `write` reads: chunks, each valid only until the next one is asked for. */
export interface Input extends AsyncIterable<Uint8Array> {
  /** Ends the iteration, also while it waits. */
  destroy(): void
  /** The descriptor of what is read. Absent when that is a pipe or socket. */
  readonly fd?: number
  /** Bytes read so far. Absent when a pipe or socket is read. */
  readonly bytesRead?: number
  /** Whether it is typed at a terminal. */
  readonly isTTY?: boolean
}

/** A pipe gives at most this much at once. */
const CHUNK_BYTES = 64 * 1024

/** Reads a descriptor of a pipe, FIFO or socket. It pauses after each chunk, until that was used. @throws what reading it throws */
export class PipeInput implements Input {
  readonly #socket: Socket
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  /** Bytes in the buffer that are not given out yet. */
  #size = 0
  #ended = false
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(fd: number) {
    const onread = { buffer: this.#buffer, callback: (size: number) => this.#arrived(size) }
    this.#socket = new Socket({ fd, readable: true, writable: false, onread })
    this.#socket.on('error', (error) => (this.#error = error))
    for (const event of ['end', 'close', 'error']) this.#socket.on(event, () => this.#end())
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#size === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve))
        if (this.#size === 0) break
        const chunk = this.#size === CHUNK_BYTES ? this.#buffer : this.#buffer.subarray(0, this.#size)
        this.#size = 0
        yield chunk
        this.#socket.resume()
      }
      if (this.#error) throw this.#error
    } finally {
      this.destroy()
    }
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Called by Node when it has put so many bytes into the buffer. @returns false, which pauses the socket */
  #arrived(size: number): boolean {
    this.#size = size
    this.#wake?.()
    return false
  }

  #end(): void {
    this.#ended = true
    this.#wake?.()
  }
}
