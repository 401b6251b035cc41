// The output buffer of LZ4 and Snappy, which both unpack to literals (bytes of the source) and copies of earlier output.

import { damaged, tooLarge } from './unreadable-batch.ts'

const FIRST_BYTES = 16 * 1024
/** Bytes below which a loop is faster than a call of `set` or `copyWithin`. */
const SHORT_BYTES = 24

export class Unpacked {
  #bytes: Buffer
  #length = 0
  /** How many bytes at the front `cut` has returned already. */
  #returned = 0
  readonly #limit: number

  /** @param guess of the final size @param limit of the size, beyond which appending throws an UnpackError */
  constructor(guess: number, limit: number) {
    this.#limit = limit
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(FIRST_BYTES, guess)))
  }

  get length(): number {
    return this.#length
  }

  /** A view of the output. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Appends bytes of the source, from `from` to `to`. */
  literals(source: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from)
    if (to - from < SHORT_BYTES) {
      const bytes = this.#bytes
      let at = this.#length
      for (let next = from; next < to; next++) bytes[at++] = source[next]!
    } else this.#bytes.set(source.subarray(from, to), this.#length)
    this.#length += to - from
  }

  /** Appends the bytes that begin `back` bytes before the end of the output. They may include bytes that this call itself appends.
   *  @param start of the output that may be copied from; further back is an UnpackError */
  copy(back: number, length: number, start: number): void {
    if (back === 0 || back > this.#length - start) throw damaged('a copy of what is not there')
    this.#reserve(length)
    const bytes = this.#bytes
    const end = this.#length + length
    let at = this.#length
    this.#length = end
    if (length < SHORT_BYTES) {
      for (; at < end; at++) bytes[at] = bytes[at - back]!
      return
    }
    // the output repeats every `back` bytes, so each step can copy twice as many
    for (let span = back; at < end; span *= 2) {
      const step = Math.min(span, end - at)
      bytes.copyWithin(at, at - span, at - span + step)
      at += step
    }
  }

  /** Drops the output, except its last `keep` bytes, which may still be copied from.
   *  @returns a copy of the bytes that were appended since the last cut, and how far the kept ones moved to the front */
  cut(keep: number): { readonly bytes: Buffer; readonly shift: number } {
    const bytes = Buffer.from(this.#bytes.subarray(this.#returned, this.#length))
    const shift = Math.max(0, this.#length - keep)
    this.#bytes.copyWithin(0, shift, this.#length)
    this.#length -= shift
    this.#returned = this.#length
    return { bytes, shift }
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    if (needed > this.#limit) throw tooLarge(this.#limit)
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(needed, this.#bytes.length * 2)))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}
