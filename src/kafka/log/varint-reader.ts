// Reads the fields of records in the log: zigzag varints (seven bits a byte, the lowest first), and bytes behind their length.

import { damaged } from './unreadable-batch.ts'

/** A length that stands for null. */
export const NULL_SIZE = -1
/** Most bytes of a number of 32 bits, and of one of 64. */
export const LONGEST_INT = 5
const LONGEST_LONG = 10

/** Reads one field after another. Methods move `at` behind it, and throw UnpackError if the bytes end too early or a number is too long. */
export class VarintReader {
  at: number
  readonly bytes: Buffer

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  /** Reads a number of 32 bits. (Zigzag: the lowest bit is the sign, so that 1 is written as 2, and -1 as 1.) */
  int(): number {
    const byte = this.bytes[this.at]!
    // most numbers are one byte; behind the end the byte is undefined, at which `#longer` throws
    if (byte < 0x80) {
      this.at++
      return (byte >>> 1) ^ -(byte & 1)
    }
    return this.#longer()
  }

  /** Reads a number of 64 bits. */
  long(): bigint {
    let raw = 0n
    for (let count = 0; count < LONGEST_LONG; count++) {
      const byte = this.#next()
      raw |= BigInt(byte & 0x7f) << BigInt(7 * count)
      if (byte < 0x80) return BigInt.asIntN(64, raw >> 1n) ^ -(raw & 1n)
    }
    throw damaged('a number in it is too long')
  }

  skipLong(): void {
    for (let count = 0; count < LONGEST_LONG; count++) if (this.#next() < 0x80) return
    throw damaged('a number in it is too long')
  }

  /** Reads bytes. @returns a view */
  bytesOf(size: number): Buffer {
    const from = this.at
    this.skip(size)
    return this.bytes.subarray(from, this.at)
  }

  skip(size: number): void {
    if (size < 0 || size > this.bytes.length - this.at) throw damaged('a part of it reaches beyond its end')
    this.at += size
  }

  #longer(): number {
    let raw = 0
    for (let count = 0; count < LONGEST_INT; count++) {
      const byte = this.#next()
      raw |= (byte & 0x7f) << (7 * count)
      if (byte < 0x80) return (raw >>> 1) ^ -(raw & 1)
    }
    throw damaged('a number in it is too long')
  }

  #next(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw damaged('it ends within a number')
    return byte
  }
}
