// Replaces decimals in a value by texts where its schema says they are; all else stays byte for byte. Expects JSON that a scanner has checked.

import { BRACE, BRACKET, N, QUOTE } from '../../json/bytes.ts'
import { Nested } from '../../json/nested.ts'
import { nameStart, Scanner } from '../../json/scanner.ts'
import { decodeString } from '../../json/strings.ts'
import { afterSpace, scalarEnd } from '../../json/tokens.ts'
import { decimalOfBase64, decimalOfNumber, type Decimals } from './connect-decimal.ts'

const COMMA = 0x2c
const CLOSING_BRACKET = 0x5d
/** The default limit for the characters of one record's decimals, that of `max_request_bytes`. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/** A member of an object, or an element of an array, which has the name ''; its value is at [from, to). */
interface Part {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** For each value of a record call `begin`, then `patch` for each part of it that holds decimals, from front to end, then `patches.apply`.
 *  The caller may add patches of its own in between. */
export class DecimalColumns {
  /** The texts that replace parts of the value. */
  readonly patches = new Patches()
  readonly #scanner = new Scanner(8)
  readonly #nested = new Nested()
  readonly #mostCharacters: number
  /** The limit that the texts of the value exceed, in characters. `undefined` when they do not. */
  exceeded: number | undefined

  /** @param mostCharacters of one record's decimals, so that few bytes do not become many; twice the bytes of the record are always allowed */
  constructor(mostCharacters: number = MOST_CHARACTERS) {
    this.#mostCharacters = mostCharacters
  }

  begin(): void {
    this.patches.clear()
    this.exceeded = undefined
  }

  /** Adds to `patches` a text for each decimal in bytes[from, to), a JSON value. A null (N) has none.
   *  @param decimals where they are: the value is one itself (decimal, variable), or a struct, array or map with some within
   *  @returns whether all of them could be read */
  patch(bytes: Buffer, from: number, to: number, decimals: Decimals): boolean {
    if (bytes[from] === N) return true
    if (decimals.kind === 'decimal') return this.#decimal(bytes, from, to, decimals.scale)
    if (decimals.kind === 'variable') return this.#variable(bytes, from, to)
    const patchPart = (part: Part | undefined, within: Decimals | undefined): boolean =>
      part !== undefined && (!within || this.patch(bytes, part.from, part.to, within))
    if (bytes[from] === BRACE && decimals.kind !== 'array') {
      return this.#members(bytes, from, to).every((part) =>
        patchPart(part, decimals.kind === 'struct' ? decimals.fields.get(part.name) : decimals.values),
      )
    }
    if (bytes[from] !== BRACKET || decimals.kind === 'struct') return false
    return this.#elements(bytes, from).every((part) => {
      if (decimals.kind === 'array') return patchPart(part, decimals.items)
      if (bytes[part.from] !== BRACKET) return false
      const [key, value, ...others] = this.#elements(bytes, part.from)
      return others.length === 0 && patchPart(key, decimals.keys) && patchPart(value, decimals.values)
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

  /** A decimal that has its scale with it, in an object of `scale` and `value`; or a plain number, as Connect may write it. */
  #variable(bytes: Buffer, from: number, to: number): boolean {
    // a number needs no scale from the schema
    if (bytes[from] !== BRACE) return bytes[from] !== QUOTE && this.#decimal(bytes, from, to, undefined)
    const parts = this.#members(bytes, from, to)
    const scale = parts.find(({ name }) => name === 'scale')
    const value = parts.find(({ name }) => name === 'value')
    if (parts.length !== 2 || !scale || !value || bytes[value.from] !== QUOTE) return false
    const digits = bytes.toString('latin1', scale.from, scale.to)
    if (!/^-?\d{1,6}$/.test(digits)) return false
    const base64 = decodeString(bytes, value.from + 1, value.to - 1)
    return this.#add(bytes, from, to, decimalOfBase64(base64, Number(digits)))
  }

  #add(bytes: Buffer, from: number, to: number, text: string | undefined): boolean {
    if (text === undefined) return false
    this.patches.add(from, to, `"${text}"`)
    const limit = Math.max(this.#mostCharacters, 2 * bytes.length)
    if (this.patches.length > limit) this.exceeded = limit
    return this.exceeded === undefined
  }

  #members(bytes: Buffer, from: number, to: number): Part[] {
    const scanner = this.#scanner
    const parts: Part[] = []
    scanner.start(bytes, from, to)
    for (let isMember = scanner.open(); isMember; isMember = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      parts.push({ name: decodeString(bytes, nameStart(nameFrom), nameTo), from: at, to: scanner.at })
    }
    return parts
  }

  #elements(bytes: Buffer, from: number): Part[] {
    const parts: Part[] = []
    let at = afterSpace(bytes, from + 1)
    while (bytes[at] !== CLOSING_BRACKET) {
      const first = bytes[at]
      const to = first === BRACE || first === BRACKET ? this.#nested.end(bytes, at) : scalarEnd(bytes, at)
      parts.push({ name: '', from: at, to })
      at = afterSpace(bytes, to)
      if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1)
    }
    return parts
  }
}

/** Texts that replace ranges of bytes. Ranges must be added in ascending order and must not overlap. */
export class Patches {
  /** `from` and `to` of each, in turn. */
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
    let copiedTo = from
    this.#texts.forEach((text, index) => {
      parts.push(bytes.subarray(copiedTo, this.#ranges[2 * index]), Buffer.from(text))
      copiedTo = this.#ranges[2 * index + 1]!
    })
    parts.push(bytes.subarray(copiedTo, to))
    return Buffer.concat(parts)
  }
}
