// A key field's value, from its raw bytes, in comparable form at two levels
// (decisions.md#keys-are-equal-at-two-levels). Knows one value at a time.

import type { KeyAtom } from '../core/types.ts'
import { canonicalNumber, canonicalNumberText, canonicalPieces } from '../json/decimal.ts'
import { decodeString } from '../json/strings.ts'
import { hasBackslash, numberEnd } from '../json/tokens.ts'
import { LONGEST, bytePieces, longAtom, stringPieces } from './long-atom.ts'

/** exact: escapes resolved, a number as sent. fence: numbers by value, a string that is a JSON number as that number.
 *  The forms never meet: text begins with `"`, an unusual number with `#`, what is very long with `~`, booleans are words. */
export interface Atom {
  exact: KeyAtom
  fence: KeyAtom
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NUMERIC = /^[-+.\deE]*$/
const QUOTE = 0x22
const ZERO = 0x30
const NINE = 0x39
const MINUS = 0x2d

/** Reads the scalar bytes[from, to) into `atom`.
 *  @returns why it cannot be part of a key, or undefined */
export function readAtom(bytes: Buffer, from: number, to: number, atom: Atom): string | undefined {
  const first = bytes[from]!
  if (to - from > LONGEST) return readLong(bytes, from, to, atom)
  if (first === QUOTE) readText(decodeString(bytes, from + 1, to - 1), atom)
  else if (first === MINUS || (first >= ZERO && first <= NINE)) readNumber(bytes, from, to, atom)
  else if (first === 0x74 || first === 0x66) atom.exact = atom.fence = first === 0x74 ? 'true' : 'false'
  else if (first === 0x6e) return 'is null'
  else return first === 0x5b ? 'is an array' : 'is an object'
  return undefined
}

/** As `readAtom` does, but what is very long of it by its digest, and without a text of all of it. */
function readLong(bytes: Buffer, from: number, to: number, atom: Atom): string | undefined {
  const first = bytes[from]!
  if (first === QUOTE) {
    readLongText(bytes, from + 1, to - 1, atom)
    return undefined
  }
  if (first === 0x5b) return 'is an array'
  if (first === 0x7b) return 'is an object'
  atom.fence = longNumber(bytes, from, to)
  atom.exact = isPlainInteger(bytes, from, to) ? atom.fence : longAtom('#', bytePieces(bytes, from, to))!
  return undefined
}

function readLongText(bytes: Buffer, from: number, to: number, atom: Atom): void {
  const long = longAtom('"', stringPieces(bytes, from, to))
  if (long === undefined) return readText(decodeString(bytes, from, to), atom)
  atom.exact = atom.fence = long
  if (numberEnd(bytes, from) === to) atom.fence = longNumber(bytes, from, to)
  else if (hasBackslash(bytes, from, to) && isNumeric(stringPieces(bytes, from, to))) {
    // a number that is spelt with escapes, which nobody does
    const text = Buffer.from(decodeString(bytes, from, to))
    if (numberEnd(text, 0) === text.length) atom.fence = longNumber(text, 0, text.length)
  }
}

/** Whether no character says that it is no number. */
function isNumeric(pieces: Iterable<string>): boolean {
  for (const piece of pieces) if (!NUMERIC.test(piece)) return false
  return true
}

function longNumber(bytes: Buffer, from: number, to: number): KeyAtom {
  const form = canonicalPieces(bytes, from, to)
  return typeof form === 'object' ? (longAtom('e', form) ?? [...form].join('')) : form
}

function readText(text: string, atom: Atom): void {
  atom.exact = atom.fence = `"${text}`
  const first = text.charCodeAt(0)
  if ((first === MINUS || (first >= ZERO && first <= NINE)) && NUMBER.test(text)) atom.fence = canonicalNumberText(text)
}

function readNumber(bytes: Buffer, from: number, to: number, atom: Atom): void {
  atom.fence = canonicalNumber(bytes, from, to)
  atom.exact = isPlainInteger(bytes, from, to) ? atom.fence : `#${bytes.toString('latin1', from, to)}`
}

/** A number whose text its value determines: digits alone, `-0` excluded. */
function isPlainInteger(bytes: Buffer, from: number, to: number): boolean {
  let at = from
  if (bytes[at] === MINUS && bytes[++at] === ZERO) return false
  for (; at < to; at++) if (bytes[at]! < ZERO || bytes[at]! > NINE) return false
  return true
}
