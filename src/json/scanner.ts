// A strict validator of JSON (RFC 8259) that reports where members stand instead of building values: one pass over the bytes. Accepts what
// JSON.parse accepts, if the bytes are UTF-8 (the caller checks it). Bytes are numbers: 34 " 44 , 58 : 91 [ 92 \ 123 { 125 }, <= 32 blank.

import { Nested } from './nested.ts'
import { afterSpace, hasBackslash, scalarEnd, stringEnd } from './tokens.ts'

/** How many numbers a member takes in a table: nameFrom (~nameFrom if it holds a backslash), nameTo, in the quotes; valueFrom, valueTo. */
export const STRIDE = 4
/** Distances from the member's slot, the index of its first number (nameFrom), to the others. */
export const NAME_TO = 1
export const VALUE_FROM = 2
export const VALUE_TO = 3

/** The place where a name begins.
 *  @param nameFrom as it is stored in the table */
export function nameStart(nameFrom: number): number {
  return nameFrom < 0 ? ~nameFrom : nameFrom
}

/** The most members of a record that a table should keep (`most` of the constructor): more would take several times the record's memory. */
export const MOST_MEMBERS = 1_000_000
/** The length of the longest table that `keepSmall` keeps, in numbers. */
const MOST_KEPT = 1 << 20
const NOTHING = new Uint8Array(0)

/** Scans one JSON text at a time. Call `start`, go over its value, then call `finish`. A value is gone over by `skip`; by `table`, if it is
 *  an object; or member by member: `open` steps onto the value of an object's first member, `next` onto that of the next one, and each of
 *  these values must be gone over before `next`. Nothing throws: after a fault every step returns false; `failedAt` is its place. */
export class Scanner {
  /** The table: members located by `table`, STRIDE numbers each. Callers may replace it between texts. */
  members: Int32Array
  /** Members in the table. Callers may lower it to drop the newest, and raise it after `start`, which sets it to 0, to keep old ones. */
  count = 0
  /** Position of what comes next; after `open` and `next` the first byte of the member's value. */
  at = 0
  /** The place of the member's name after `open` and `next`, inside the quotes; negative (~nameFrom) when it holds a backslash. */
  nameFrom = 0
  nameTo = 0
  /** How deep the value nests that `skip` or `table` went over last: 0 for a scalar, 1 for []. */
  depth = 0
  /** Where the text stopped being JSON, at most its end; -1 while it has not. */
  failedAt = -1

  #bytes: Uint8Array = NOTHING
  #end = 0
  readonly #nested = new Nested()
  readonly #most: number

  /** @param capacity how many members the first table has room for
   *  @param most how many members of one object `table` keeps. Of an object with more it overwrites the newest ones again and again:
   *  the table has not all of them, and `count` has grown by more than `most` */
  constructor(capacity = 256, most = Infinity) {
    this.members = new Int32Array(capacity * STRIDE)
    this.#most = most
  }

  /** Lets go, between texts, of a table that one enormous object needed. */
  keepSmall(): void {
    if (this.members.length > MOST_KEPT) this.members = new Int32Array(MOST_KEPT)
  }

  /** Lets go of the bytes of the text scanned last. */
  forget(): void {
    this.#bytes = NOTHING
  }

  /** Starts on the text bytes[from, to) with an empty table; `at` is then the text's first byte that is no white space, or `to`. */
  start(bytes: Uint8Array, from: number, to: number): void {
    // A line is followed by its LF, which ends every token; whatever else follows must not be seen.
    this.#bytes = to === bytes.length || bytes[to] === 10 ? bytes : bytes.subarray(0, to)
    this.#end = to
    this.failedAt = -1
    this.count = 0
    this.at = this.#spaceWithin(from)
  }

  /** Steps into the object at `at`, onto its first member's value. False: there is none, or it is broken. */
  open(): boolean {
    if (this.failedAt !== -1) return false
    const bytes = this.#bytes
    if (bytes[this.at] !== 123) return this.#fail(this.at)
    const at = afterSpace(bytes, this.at + 1)
    if (bytes[at] === 125) {
      this.at = at + 1
      return false
    }
    return this.#name(at)
  }

  /** After a value: onto the next member's value. False: the object has ended (`at` is behind it), or it is broken. */
  next(): boolean {
    if (this.failedAt !== -1) return false
    const bytes = this.#bytes
    const at = afterSpace(bytes, this.at)
    const c = bytes[at]
    if (c === 44) return this.#name(afterSpace(bytes, at + 1))
    if (c !== 125) return this.#fail(at)
    this.at = at + 1
    return false
  }

  /** Goes over the value at `at`, whatever it is. */
  skip(): boolean {
    if (this.failedAt !== -1) return false
    const bytes = this.#bytes
    const c = bytes[this.at]
    const container = c === 123 || c === 91
    const at = container ? this.#nested.end(bytes, this.at) : scalarEnd(bytes, this.at)
    this.depth = container ? this.#nested.depth : 0
    if (at < 0) return this.#fail(~at)
    this.at = at
    return true
  }

  /** Goes over the object at `at` and appends its members to the table, in order, duplicates too. */
  table(): boolean {
    if (this.failedAt !== -1) return false
    if (this.#bytes[this.at] !== 123) return this.#fail(this.at)
    const at = this.#object(this.at)
    if (at < 0) return this.#fail(~at)
    this.at = at
    return true
  }

  /** True when the text was one JSON value and nothing but white space around it. */
  finish(): boolean {
    if (this.failedAt !== -1) return false
    // an LF is white space, so an array or object that the text does not close may go on behind the text's LF
    if (this.at > this.#end) return this.#fail(this.#end)
    const at = this.#spaceWithin(this.at)
    return at === this.#end || this.#fail(at)
  }

  #spaceWithin(from: number): number {
    let at = from
    const bytes = this.#bytes
    const end = this.#end
    for (; at < end; at++) {
      const c = bytes[at]
      if (c !== 32 && c !== 13 && c !== 10 && c !== 9) break
    }
    return at
  }

  #fail(at: number): false {
    this.failedAt = Math.min(at, this.#end)
    return false
  }

  /** Goes over a member's name, from its opening quote to the first byte of its value. */
  #name(quote: number): boolean {
    const bytes = this.#bytes
    if (bytes[quote] !== 34) return this.#fail(quote)
    const from = quote + 1
    let at = from
    let c = bytes[at]!
    while (c > 34 && c !== 92) c = bytes[++at]!
    this.nameFrom = from
    if (c !== 34) {
      at = stringEnd(bytes, at)
      if (at < 0) return this.#fail(~at)
      if (hasBackslash(bytes, from, at)) this.nameFrom = ~from
    }
    this.nameTo = at
    const colon = afterSpace(bytes, at + 1)
    if (bytes[colon] !== 58) return this.#fail(colon)
    this.at = afterSpace(bytes, colon + 1)
    return true
  }

  // Returns the place behind the object, or ~place of a fault. The hot loop of a record's data: all in locals, all calls inlined by V8.
  // oxlint-disable-next-line max-lines-per-function -- one hot loop, measured by bench/scan.ts
  #object(brace: number): number {
    const bytes = this.#bytes
    let members = this.members
    const first = this.count * STRIDE
    let slot = first
    let deepest = 0
    let at = afterSpace(bytes, brace + 1)
    if (bytes[at] === 125) {
      this.depth = 1
      return at + 1
    }
    for (;;) {
      if (bytes[at] !== 34) return ~at
      const nameFrom = ++at
      let c = bytes[at]!
      while (c > 34 && c !== 92) c = bytes[++at]!
      let escaped = false
      if (c !== 34) {
        at = stringEnd(bytes, at)
        if (at < 0) return at
        escaped = hasBackslash(bytes, nameFrom, at)
      }
      const nameTo = at
      if (bytes[++at] !== 58) {
        at = afterSpace(bytes, at)
        if (bytes[at] !== 58) return ~at
      }
      c = bytes[++at]!
      if (c <= 32) {
        at = afterSpace(bytes, at)
        c = bytes[at]!
      }
      const valueFrom = at
      if (c === 123 || c === 91) {
        at = this.#nested.end(bytes, at)
        if (at < 0) return at
        if (this.#nested.depth > deepest) deepest = this.#nested.depth
      } else {
        at = scalarEnd(bytes, at)
        if (at < 0) return at
      }
      if (slot + STRIDE > members.length) {
        // with room for `most` members it grows no more: what is behind them is written over
        if (slot - first > this.#most * STRIDE) slot = first + this.#most * STRIDE
        else members = this.#grow()
      }
      members[slot] = escaped ? ~nameFrom : nameFrom
      members[slot + NAME_TO] = nameTo
      members[slot + VALUE_FROM] = valueFrom
      members[slot + VALUE_TO] = at
      slot += STRIDE
      c = bytes[at]!
      if (c <= 32) {
        at = afterSpace(bytes, at)
        c = bytes[at]!
      }
      if (c === 125) break
      if (c !== 44) return ~at
      c = bytes[++at]!
      if (c <= 32) at = afterSpace(bytes, at)
    }
    this.count = slot / STRIDE
    this.depth = deepest + 1
    return at + 1
  }

  #grow(): Int32Array {
    const larger = new Int32Array(this.members.length * 2)
    larger.set(this.members)
    this.members = larger
    return larger
  }
}
