// The JSON text of one value, written as bytes from front to end, with a limit. For each value a decoder calls `begin`, writes, and calls
// `take`; `drop` where it failed. What it writes must be valid JSON.

import { isUtf8 } from 'node:buffer'
import { ValueError } from './unreadable.ts'

/** The default limit, that of `max_request_bytes`. */
const MOST_BYTES = 4 * 2 ** 20
/** A large value may become JSON of twice its size, up to LAST_LIMIT_BYTES. */
const MOST_PER_BYTE = 2
const LAST_LIMIT_BYTES = 256 * 2 ** 20

export const COMMA = 44
export const COLON = 58
export const OPEN_BRACKET = 91
export const CLOSE_BRACKET = 93
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125

/** A buffer up to this is kept for the next value. */
const KEPT_BYTES = 64 * 2 ** 10

export class JsonOutput {
  readonly #most: number
  #bytes = NONE
  #limit = 0
  /** How many bytes are written. */
  at = 0

  /** @param most bytes of a value's JSON: 2,000 bytes of a map can hold 200,000 fields */
  constructor(most: number = MOST_BYTES) {
    this.#most = most
  }

  /** @param size bytes of the value to be read */
  begin(size: number): void {
    this.at = 0
    this.#limit = Math.min(LAST_LIMIT_BYTES, Math.max(this.#most, MOST_PER_BYTE * size))
    if (this.#bytes.length > this.#limit) this.#bytes = NONE
  }

  /** Takes the text, once. It is a copy, unless it is so large that the buffer is not kept anyway. */
  take(): Buffer {
    const text = this.#bytes.subarray(0, this.at)
    const taken = this.#bytes.length > KEPT_BYTES ? text : Buffer.from(text)
    this.drop()
    return taken
  }

  /** Discards what is written, and a large buffer with it. */
  drop(): void {
    this.at = 0
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = NONE
  }

  /** Makes room for `length` more bytes. */
  reserve(length: number): void {
    if (this.at + length > this.#bytes.length) this.#grow(this.at + length)
  }

  byte(byte: number): void {
    this.reserve(1)
    this.#bytes[this.at++] = byte
  }

  /** Writes bytes that are JSON. */
  literal(literal: Uint8Array): void {
    const { length } = literal
    this.reserve(length)
    const bytes = this.#bytes
    let at = this.at
    for (let index = 0; index < length; index++) bytes[at++] = literal[index]!
    this.at = at
  }

  /** Writes JSON that is ASCII. */
  ascii(text: string): void {
    const { length } = text
    this.reserve(length)
    // a short one is written faster by hand
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

  /** Writes source[from, to), UTF-8, as a string. */
  string(source: Buffer, from: number, to: number): void {
    this.reserve(to - from + 2)
    const bytes = this.#bytes
    let at = this.at
    let seen = 0
    bytes[at++] = QUOTE
    for (let index = from; index < to; index++) {
      const byte = source[index]!
      if (byte < 32 || byte === QUOTE || byte === BACKSLASH) {
        this.#escaped(source, from, to)
        return
      }
      seen |= byte
      bytes[at++] = byte
    }
    if (seen > 127) demandUtf8(source, from, to)
    bytes[at++] = QUOTE
    this.at = at
  }

  /** Writes source[from, to) as a string in base64. */
  base64(source: Buffer, from: number, to: number): void {
    this.reserve(Math.ceil((to - from) / 3) * 4 + 2)
    this.ascii(`"${source.toString('base64', from, to)}"`)
  }

  /** Removes entries from the end of what is written: an object's, which begin at `starts`. Those at the places `kept` stay. */
  keep(starts: readonly number[], kept: readonly number[]): void {
    const bytes = this.#bytes
    let to = starts[0]!
    for (const [index, entry] of kept.entries()) {
      const from = starts[entry]!
      // a comma lies before the next
      const end = entry + 1 < starts.length ? starts[entry + 1]! - 1 : this.at
      if (index > 0) bytes[to++] = COMMA
      bytes.copyWithin(to, from, end)
      to += end - from
    }
    this.at = to
  }

  #escaped(source: Buffer, from: number, to: number): void {
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

const QUOTE = 34
const BACKSLASH = 92
const NONE = Buffer.alloc(0)

function demandUtf8(source: Buffer, from: number, to: number): void {
  if (!isUtf8(source.subarray(from, to))) throw new ValueError('holds a string that is not UTF-8')
}
