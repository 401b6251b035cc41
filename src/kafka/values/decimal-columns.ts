// Replaces a value's decimals by texts where its schema says they are; everything else stays byte for byte. Expects JSON that
// the scanner has checked.

import { BRACE, BRACKET, N, QUOTE } from '../../json/bytes.ts'
import { Nested } from '../../json/nested.ts'
import { nameStart, Scanner } from '../../json/scanner.ts'
import { decodeString } from '../../json/strings.ts'
import { afterSpace, scalarEnd } from '../../json/tokens.ts'
import { decimalOfBase64, decimalOfNumber, type Decimals } from './connect-decimal.ts'

/** The default limit for the characters of one record's decimals, that of `max_request_bytes`. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/** A part of an object or array. Elements of an array have the name ''. */
interface Part {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** For each value call `begin`, then `patch` for each part of it that holds decimals, from front to end, then `patches.apply`. The caller
 *  may add patches of its own in between. */
export class DecimalColumns {
  /** The texts that replace parts of this value. */
  readonly patches = new Patches()
  readonly #scanner = new Scanner(8)
  readonly #nested = new Nested()
  readonly #most: number
  /** The limit that the texts of this value exceed, in characters. `undefined` when they do not. */
  exceeded: number | undefined

  /** @param most characters of one record's decimals, unless it is half as long itself: few bytes may not become many */
  constructor(most: number = MOST_CHARACTERS) {
    this.#most = most
  }

  begin(): void {
    this.patches.clear()
    this.exceeded = undefined
  }

  /** Adds to `patches` a text for each decimal in bytes[from, to), which is JSON.
   *  @returns whether all of them could be read */
  patch(bytes: Buffer, from: number, to: number, decimals: Decimals): boolean {
    if (bytes[from] === N) return true
    if (decimals.kind === 'decimal') return this.#decimal(bytes, from, to, decimals.scale)
    if (decimals.kind === 'variable') return this.#variable(bytes, from, to)
    const inside = (part: Part | undefined, within: Decimals | undefined): boolean =>
      part !== undefined && (!within || this.patch(bytes, part.from, part.to, within))
    if (bytes[from] === BRACE && decimals.kind !== 'array') {
      return this.#members(bytes, from, to).every((part) =>
        inside(part, decimals.kind === 'struct' ? decimals.fields.get(part.name) : decimals.values),
      )
    }
    if (bytes[from] !== BRACKET || decimals.kind === 'struct') return false
    return this.#elements(bytes, from).every((part) => {
      if (decimals.kind === 'array') return inside(part, decimals.items)
      if (bytes[part.from] !== BRACKET) return false
      const [key, value, ...more] = this.#elements(bytes, part.from)
      return more.length === 0 && inside(key, decimals.keys) && inside(value, decimals.values)
    })
  }

  #decimal(bytes: Buffer, from: number, to: number, scale: number | undefined): boolean {
    const first = bytes[from]!
    if (first === BRACE || first === BRACKET) return false
    const text =
      first === QUOTE
        ? decimalOfBase64(decodeString(bytes, from + 1, to - 1), scale)
        : decimalOfNumber(bytes.toString('latin1', from, to))
    return this.#add(bytes, from, to, text)
  }

  #variable(bytes: Buffer, from: number, to: number): boolean {
    if (bytes[from] !== BRACE) return bytes[from] !== QUOTE && this.#decimal(bytes, from, to, 0)
    const parts = this.#members(bytes, from, to)
    const scale = parts.find(({ name }) => name === 'scale')
    const value = parts.find(({ name }) => name === 'value')
    if (parts.length !== 2 || !scale || !value || bytes[value.from] !== QUOTE) return false
    const digits = bytes.toString('latin1', scale.from, scale.to)
    if (!/^-?\d{1,6}$/.test(digits)) return false
    return this.#add(
      bytes,
      from,
      to,
      decimalOfBase64(decodeString(bytes, value.from + 1, value.to - 1), Number(digits)),
    )
  }

  #add(bytes: Buffer, from: number, to: number, text: string | undefined): boolean {
    if (text === undefined) return false
    this.patches.add(from, to, `"${text}"`)
    const most = Math.max(this.#most, 2 * bytes.length)
    if (this.patches.length > most) this.exceeded = most
    return this.exceeded === undefined
  }

  #members(bytes: Buffer, from: number, to: number): Part[] {
    const scanner = this.#scanner
    const parts: Part[] = []
    scanner.start(bytes, from, to)
    for (let more = scanner.open(); more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      parts.push({ name: decodeString(bytes, nameStart(nameFrom), nameTo), from: at, to: scanner.at })
    }
    return parts
  }

  #elements(bytes: Buffer, from: number): Part[] {
    const parts: Part[] = []
    let at = afterSpace(bytes, from + 1)
    while (bytes[at] !== 0x5d) {
      const c = bytes[at]
      const to = c === BRACE || c === BRACKET ? this.#nested.end(bytes, at) : scalarEnd(bytes, at)
      parts.push({ name: '', from: at, to })
      at = afterSpace(bytes, to)
      if (bytes[at] === 0x2c) at = afterSpace(bytes, at + 1)
    }
    return parts
  }
}

/** Texts that replace ranges of an object. Ranges must be added in ascending order and must not overlap. */
export class Patches {
  readonly #ranges: number[] = []
  readonly #texts: string[] = []
  /** Characters of the texts so far. */
  length = 0

  get isEmpty(): boolean {
    return this.#texts.length === 0
  }

  clear(): void {
    this.#ranges.length = this.#texts.length = this.length = 0
  }

  add(from: number, to: number, text: string): void {
    this.#ranges.push(from, to)
    this.#texts.push(text)
    this.length += text.length
  }

  /** bytes[from, to) with the texts in it: a buffer of its own. */
  apply(bytes: Buffer, from: number, to: number): Buffer {
    const parts: Buffer[] = []
    let kept = from
    this.#texts.forEach((text, index) => {
      parts.push(bytes.subarray(kept, this.#ranges[2 * index]), Buffer.from(text))
      kept = this.#ranges[2 * index + 1]!
    })
    parts.push(bytes.subarray(kept, to))
    return Buffer.concat(parts)
  }
}
