// A key field's value, from its raw bytes, in comparable form at two levels (assumptions 24). Knows one value at a time.

import type { KeyAtom } from '../core/types.ts'
import { canonicalNumber, canonicalNumberText } from '../json/decimal.ts'
import { decodeString } from '../json/decode-string.ts'
import { LONGEST, longAtom, stringPieces, textPieces } from './long-atom.ts'

/** exact: escapes resolved, a number as sent. fence: numbers by value, a string that is a JSON number as that number.
 *  The forms never meet: text begins with `"`, an unusual number with `#`, what is very long with `~`, booleans are words. */
export interface Atom {
  exact: KeyAtom
  fence: KeyAtom
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
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

const NUMERIC = /^[-+.\deE]*$/

/** As `readAtom` does, each level that is very long by its digest. */
function readLong(bytes: Buffer, from: number, to: number, atom: Atom): string | undefined {
  const first = bytes[from]!
  if (first === QUOTE) {
    readLongText(bytes, from + 1, to - 1, atom)
    return undefined
  }
  if (first === 0x5b) return 'is an array'
  if (first !== MINUS && (first < ZERO || first > NINE)) return 'is an object'
  readNumber(bytes, from, to, atom)
  atom.fence = bounded('e', atom.fence)
  atom.exact = isPlainInteger(bytes, from, to) ? atom.fence : bounded('#', atom.exact)
  return undefined
}

function readLongText(bytes: Buffer, from: number, to: number, atom: Atom): void {
  let isNumeric = true
  function* looked(): Generator<string> {
    for (const piece of stringPieces(bytes, from, to)) {
      isNumeric &&= NUMERIC.test(piece)
      yield piece
    }
  }
  const long = longAtom('"', looked())
  if (long === undefined || isNumeric) readText(decodeString(bytes, from, to), atom)
  else atom.fence = long
  if (long === undefined) return
  atom.fence = isNumeric && atom.fence !== atom.exact ? bounded('e', atom.fence) : long
  atom.exact = long
}

function bounded(kind: string, atom: KeyAtom): KeyAtom {
  return (typeof atom === 'string' ? longAtom(kind, textPieces(atom)) : undefined) ?? atom
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
