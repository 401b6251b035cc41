// Goes over an array or object of any depth, validating it. A stack of one bit a level instead of recursion: a megabyte
// of `[` costs 128 KiB and no stack frame. Places and faults are answered as in tokens.ts.

import { afterSpace, scalarEnd, stringEnd } from './tokens.ts'

/** Goes over one array or object after another. */
export class Nested {
  /** Levels of the container `end` went over last: 1 for []. */
  depth = 0
  readonly #levels = new Levels()

  /** Goes from the opening brace or bracket to behind the closing one, and sets `depth`. */
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
        this.#levels.set(level++, inObject)
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
        inObject = this.#levels.isObject(level - 1)
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
}

/** Which levels are objects, the others being arrays: a set bit each. */
export class Levels {
  #bits = new Int32Array(32)

  set(level: number, isObject: boolean): void {
    const word = level >>> 5
    if (word >= this.#bits.length) {
      const larger = new Int32Array(this.#bits.length * 2)
      larger.set(this.#bits)
      this.#bits = larger
    }
    const bit = 1 << (level & 31)
    this.#bits[word] = isObject ? this.#bits[word]! | bit : this.#bits[word]! & ~bit
  }

  isObject(level: number): boolean {
    return ((this.#bits[level >>> 5]! >>> (level & 31)) & 1) === 1
  }
}

/** Goes from where a name's opening quote must stand to the first byte of its value. */
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
