// Goes over an array or object of any depth, validating it. A stack of one bit a level instead of recursion: a megabyte
// of `[` costs 128 KiB and no stack frame.

import { afterSpace, scalarEnd, stringEnd } from './tokens.ts'

/** Reusable; keeps its stack. */
export class Nested {
  /** Levels of the container `end` went over last: 1 for []. */
  depth = 0
  /** A set bit: that level is an object. */
  #kinds = new Int32Array(32)

  /** From the opening brace or bracket to behind the closing one; ~place of the fault. */
  // oxlint-disable-next-line max-lines-per-function -- one hot loop, measured by bench/scan.ts
  end(bytes: Uint8Array, from: number): number {
    let at = from
    let c = bytes[at]!
    let level = 0
    let deepest = 0
    let inObject = false
    for (;;) {
      // A value starts at `at`, with `c`.
      if (c === 123 || c === 91) {
        inObject = c === 123
        this.#push(level++, inObject)
        if (level > deepest) deepest = level
        c = bytes[++at]!
        if (c <= 32) {
          at = afterSpace(bytes, at)
          c = bytes[at]!
        }
        if (c !== (inObject ? 125 : 93)) {
          if (inObject) {
            at = valueAfterName(bytes, at)
            if (at < 0) return at
            c = bytes[at]!
          }
          continue
        }
      } else {
        at = scalarEnd(bytes, at)
        if (at < 0) return at
        c = bytes[at]!
        if (c <= 32) {
          at = afterSpace(bytes, at)
          c = bytes[at]!
        }
      }
      // A value or an empty container has ended; close what closes here.
      while (c === (inObject ? 125 : 93)) {
        at++
        if (--level === 0) {
          this.depth = deepest
          return at
        }
        inObject = this.#isObject(level - 1)
        c = bytes[at]!
        if (c <= 32) {
          at = afterSpace(bytes, at)
          c = bytes[at]!
        }
      }
      if (c !== 44) return ~at
      c = bytes[++at]!
      if (c <= 32) {
        at = afterSpace(bytes, at)
        c = bytes[at]!
      }
      if (inObject) {
        at = valueAfterName(bytes, at)
        if (at < 0) return at
        c = bytes[at]!
      }
    }
  }

  #push(level: number, object: boolean): void {
    const word = level >>> 5
    if (word >= this.#kinds.length) {
      const larger = new Int32Array(this.#kinds.length * 2)
      larger.set(this.#kinds)
      this.#kinds = larger
    }
    const bit = 1 << (level & 31)
    this.#kinds[word] = object ? this.#kinds[word]! | bit : this.#kinds[word]! & ~bit
  }

  #isObject(level: number): boolean {
    return ((this.#kinds[level >>> 5]! >>> (level & 31)) & 1) === 1
  }
}

/** From where a name's opening quote must stand to the first byte of its value; ~place of the fault. */
function valueAfterName(bytes: Uint8Array, quote: number): number {
  if (bytes[quote] !== 34) return ~quote
  let at = stringEnd(bytes, quote + 1)
  if (at < 0) return at
  if (bytes[++at] !== 58) {
    at = afterSpace(bytes, at)
    if (bytes[at] !== 58) return ~at
  }
  return afterSpace(bytes, at + 1)
}
