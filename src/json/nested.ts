// Validates an array or object of any depth, and finds its end. A stack of one bit for each level takes the place of recursion: a megabyte
// of `[` costs 128 KiB and no stack frame. As in tokens.ts, functions return the place behind what they went over, or ~place (a negative
// number) of the byte that may not stand there. Bytes are numbers, for speed: 34 " 44 , 58 : 91 [ 93 ] 123 { 125 }, <= 32 blank.

import { afterSpace, scalarEnd, stringEnd } from './tokens.ts'

/** Goes over one array or object after another, whatever is in them. */
export class Nested {
  /** How deep the array or object that `end` went over last nests: 1 for []. */
  depth = 0
  readonly #levels = new Levels()

  /** Goes from the opening brace or bracket to the place behind the closing one, and sets `depth`. A fault leaves `depth` as it was. */
  // oxlint-disable-next-line max-lines-per-function -- one hot loop, measured by bench/scan.ts
  end(bytes: Uint8Array, from: number): number {
    let at = from
    let c = bytes[at]!
    let level = 0
    let deepest = 0
    let inObject = false
    for (;;) {
      // a value begins at `at`, with the byte `c`
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
      // a value has ended, or an empty container is about to: close all that closes here
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

/** One bit for each level of nesting: set for an object, not set for an array. It grows as needed. Levels count from 0, the outermost. */
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
