// Makes comparable keys from the raw bytes of key values, at two levels (decisions.md#keys-are-equal-at-two-levels), and turns them
// back into values for people.

import { createHash } from 'node:crypto'
import { exactOf } from '../core/key.ts'
import type { KeyAtom, Key } from '../core/types.ts'
import { canonicalNumber, canonicalNumberText, canonicalPieces } from '../json/decimal.ts'
import { decodeString } from '../json/strings.ts'
import { hasBackslash, numberEnd } from '../json/tokens.ts'

/** exact: with escapes resolved, and numbers as they were sent. fence: numbers by value, also those in strings. The kinds cannot be
 *  confused: text begins with `"`, an unusual number with `#`, a very long value with `~`, and booleans are words. */
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
 *  @returns why it cannot be part of a key, if so */
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

/** Like `readAtom`, for very long values: reads a digest, without making a text of the whole value. */
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
    // a number in a string may be written with escapes, which hardly occurs
    const text = Buffer.from(decodeString(bytes, from, to))
    if (numberEnd(text, 0) === text.length) atom.fence = longNumber(text, 0, text.length)
  }
}

/** Whether every character may occur in a number. */
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

/** A number that has only one spelling: digits, except `-0`. */
function isPlainInteger(bytes: Buffer, from: number, to: number): boolean {
  let at = from
  if (bytes[at] === MINUS && bytes[++at] === ZERO) return false
  for (; at < to; at++) if (bytes[at]! < ZERO || bytes[at]! > NINE) return false
  return true
}

/** The most characters (UTF-16) of a key that is kept whole. */
export const LONGEST = 64 * 1024
/** How many characters of a longer one are kept, for people. */
const SHOWN = 8192
/** Keys that are kept whole never begin so. */
const MARK = '~'
/** Characters of a SHA-256 digest in base64. */
const DIGEST_LENGTH = 44
const BACKSLASH = 0x5c
const U = 0x75

/** The digest of a very long value, whose text would take twice its length in memory until its record is delivered. Two of one kind
 *  are equal if and only if their texts are, including lone surrogates.
 *  @param kind one character
 *  @returns undefined if it is not longer than LONGEST */
function longAtom(kind: string, pieces: Iterable<string>): string | undefined {
  const hash = createHash('sha256')
  let length = 0
  let begin = ''
  for (const piece of pieces) {
    if (begin.length < SHOWN) begin += piece.slice(0, SHOWN - begin.length)
    length += piece.length
    hash.update(Buffer.from(piece, 'utf16le'))
  }
  return length > LONGEST ? `${MARK}${kind}${hash.digest('base64')}${begin}` : undefined
}

/** The beginning of a long value's text; undefined if the atom is not of a long value. */
export function beginningOf(atom: string): string | undefined {
  return atom.startsWith(MARK) ? atom.slice(MARK.length + 1 + DIGEST_LENGTH) : undefined
}

/** Yields the text of a JSON string, whose raw bytes without quotes are bytes[from, to), in pieces. No piece ends within an escape or
 *  a character's bytes, but a surrogate pair may be split. */
function* stringPieces(bytes: Buffer, from: number, to: number): Generator<string> {
  for (let at = from; at < to;) {
    const end = pieceEnd(bytes, at, to)
    yield decodeString(bytes, at, end)
    at = end
  }
}

/** Yields bytes in pieces of text, with one character per byte. */
function* bytePieces(bytes: Buffer, from: number, to: number): Generator<string> {
  for (let at = from; at < to; at += LONGEST) yield bytes.toString('latin1', at, Math.min(at + LONGEST, to))
}

function pieceEnd(bytes: Buffer, from: number, to: number): number {
  let at = from
  const enough = Math.min(to, from + LONGEST)
  while (at < enough) at += bytes[at] !== BACKSLASH ? 1 : bytes[at + 1] === U ? 6 : 2
  while (at < to && (bytes[at]! & 0xc0) === 0x80) at++
  return at
}

/** A number's digits without zeros at the end, and how many of them there are. */
const LARGE_INTEGER = /^(-?\d+)e(\d{1,3})$/
/** Begins one field of a composite key: a number and a comma, or a text's length and a colon. */
const FIELD = /(-?\d+)([,:])/y
/** Names of fields, in front of a key whose fields differ from those of its table's first key. */
const SHAPE = /^\[(?:"(?:[^"\\]|\\.)*",?)+\]/

/** A key for people: the inverse of how keys are made here, in key-reader.ts and in topic-table.ts.
 *  @returns JSON values; if there are several fields, in brackets and in the order of their names. Undefined if there is no key. */
export function shownKey(key: Key): string | undefined {
  const whole = exactOf(key)
  const exact = typeof whole === 'string' ? whole.replace(SHAPE, '') : whole
  if (exact === undefined) return undefined
  if (typeof exact === 'number' || !/^-?\d+[,:]/.test(exact)) return shownAtom(exact)
  const fields: string[] = []
  for (let at = 0; at < exact.length;) {
    FIELD.lastIndex = at
    const [whole, number, end] = FIELD.exec(exact) ?? ['', '', '']
    at += whole.length
    if (end === '') return undefined
    if (end === ',') fields.push(number)
    else {
      const to = at + Number(number)
      fields.push(shownAtom(exact.slice(at, to)))
      at = to
    }
  }
  return `(${fields.join(', ')})`
}

function shownAtom(atom: string | number): string {
  if (typeof atom === 'number') return String(atom)
  const beginning = beginningOf(atom)
  if (beginning !== undefined) return JSON.stringify(`${beginning}…`)
  if (atom.startsWith('"')) return JSON.stringify(atom.slice(1))
  if (atom.startsWith('#')) return atom.slice(1)
  const [, digits, zeros] = LARGE_INTEGER.exec(atom) ?? []
  return digits === undefined ? atom : digits + '0'.repeat(Number(zeros))
}
