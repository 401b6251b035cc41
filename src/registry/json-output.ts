// A buffer into which decoders write the JSON of one value after another, from front to end, up to a limit. For each value a decoder calls
// `begin`, the methods that write, and `take`, or `drop` when decoding failed. That the whole is valid JSON is for the decoder to see to.

import { isUtf8 } from 'node:buffer'
import { ValueError } from './unreadable.ts'

/** The default limit for a value's JSON, that of `max_request_bytes`. */
const MOST_BYTES = 4 * 2 ** 20
/** A large value may become JSON of twice its size instead, but of no more than HIGHEST_LIMIT_BYTES. */
const MOST_PER_BYTE = 2
const HIGHEST_LIMIT_BYTES = 256 * 2 ** 20

const QUOTE = 34
const BACKSLASH = 92
export const COMMA = 44
export const COLON = 58
export const OPEN_BRACKET = 91
export const CLOSE_BRACKET = 93
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125

/** The largest buffer that is kept for the next value. */
const MOST_KEPT_BYTES = 64 * 2 ** 10
const NO_BYTES = Buffer.alloc(0)

export class JsonOutput {
  readonly #mostBytes: number
  #bytes = NO_BYTES
  /** The limit for the present value's JSON. */
  #limit = 0
  /** How many bytes are written: the place of the next one. */
  at = 0

  /** @param mostBytes the limit for a value's JSON, unless the value is large (MOST_PER_BYTE) */
  constructor(mostBytes: number = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** Begins the JSON of a value that has `size` bytes itself. */
  begin(size: number): void {
    this.at = 0
    this.#limit = Math.min(HIGHEST_LIMIT_BYTES, Math.max(this.#mostBytes, MOST_PER_BYTE * size))
    // only when the buffer is full is the limit looked at, so the buffer must not be larger
    if (this.#bytes.length > this.#limit) this.#bytes = NO_BYTES
  }

  /** Takes out the JSON that is written. It is a copy, unless the buffer is so large that it is not kept anyway. */
  take(): Buffer {
    const text = this.#bytes.subarray(0, this.at)
    const taken = this.#bytes.length > MOST_KEPT_BYTES ? text : Buffer.from(text)
    this.drop()
    return taken
  }

  /** Discards what is written, and a large buffer with it. */
  drop(): void {
    this.at = 0
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#bytes = NO_BYTES
  }

  /** Makes room for `length` more bytes. Throws a ValueError when they would exceed the limit. */
  reserve(length: number): void {
    if (this.at + length > this.#bytes.length) this.#grow(this.at + length)
  }

  byte(byte: number): void {
    this.reserve(1)
    this.#bytes[this.at++] = byte
  }

  /** Writes bytes that are JSON already. */
  literal(literal: Uint8Array): void {
    const { length } = literal
    this.reserve(length)
    const bytes = this.#bytes
    let at = this.at
    for (let index = 0; index < length; index++) bytes[at++] = literal[index]!
    this.at = at
  }

  /** Writes a text that is JSON already, and ASCII. */
  ascii(text: string): void {
    const { length } = text
    this.reserve(length)
    // a short one is written faster by a loop
    if (length > 40) {
      this.#bytes.write(text, this.at, 'latin1')
      this.at += length
      return
    }
    const bytes = this.#bytes
    let at = this.at
    for (let index = 0; index < length; index++) bytes[at++] = text.charCodeAt(index)
    this.at = at
  }

  /** Writes source[from, to) as a JSON string. Throws a ValueError when it is no UTF-8. */
  string(source: Buffer, from: number, to: number): void {
    this.reserve(to - from + 2)
    const bytes = this.#bytes
    let at = this.at
    let allBits = 0
    bytes[at++] = QUOTE
    for (let index = from; index < to; index++) {
      const byte = source[index]!
      if (byte < 32 || byte === QUOTE || byte === BACKSLASH) {
        this.#stringWithEscapes(source, from, to)
        return
      }
      allBits |= byte
      bytes[at++] = byte
    }
    if (allBits > 127) demandUtf8(source, from, to) // not only ASCII
    bytes[at++] = QUOTE
    this.at = at
  }

  /** Writes source[from, to) as a JSON string in base64. */
  base64(source: Buffer, from: number, to: number): void {
    this.reserve(Math.ceil((to - from) / 3) * 4 + 2)
    this.ascii(`"${source.toString('base64', from, to)}"`)
  }

  /** Removes entries of an object that is being written. Each begins at one of `starts`, and the last one ends what is written.
   *  @param kept the indexes of the entries that stay, in ascending order */
  keepEntries(starts: readonly number[], kept: readonly number[]): void {
    const bytes = this.#bytes
    let to = starts[0]!
    for (const [index, entry] of kept.entries()) {
      const from = starts[entry]!
      // it ends at the comma in front of the next entry
      const end = entry + 1 < starts.length ? starts[entry + 1]! - 1 : this.at
      if (index > 0) bytes[to++] = COMMA
      bytes.copyWithin(to, from, end)
      to += end - from
    }
    this.at = to
  }

  #stringWithEscapes(source: Buffer, from: number, to: number): void {
    demandUtf8(source, from, to)
    const text = JSON.stringify(source.toString('utf8', from, to))
    this.reserve(Buffer.byteLength(text))
    this.at += this.#bytes.write(text, this.at)
  }

  #grow(needed: number): void {
    if (needed > this.#limit)
      throw new ValueError(`makes more than ${this.#limit} bytes of JSON (beyond max_request_bytes)`)
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(4096, needed * 2)))
    this.#bytes.copy(grown, 0, 0, this.at)
    this.#bytes = grown
  }
}

function demandUtf8(source: Buffer, from: number, to: number): void {
  if (!isUtf8(source.subarray(from, to))) throw new ValueError('holds a string that is not UTF-8')
}
