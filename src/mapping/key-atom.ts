// A key field's value, from its raw bytes, in comparable form at two levels (decisions.md#keys-are-equal-at-two-levels), and the
// way back, for people.

import { createHash } from 'node:crypto'
import { exactOf } from '../core/key.ts'
import type { KeyAtom, Key } from '../core/types.ts'
import { canonicalNumber, canonicalNumberText, canonicalPieces } from '../json/decimal.ts'
import { decodeString } from '../json/strings.ts'
import { hasBackslash, numberEnd } from '../json/tokens.ts'

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

/** A number whose text its value determines: digits alone, `-0` excluded. */
function isPlainInteger(bytes: Buffer, from: number, to: number): boolean {
  let at = from
  if (bytes[at] === MINUS && bytes[++at] === ZERO) return false
  for (; at < to; at++) if (bytes[at]! < ZERO || bytes[at]! > NINE) return false
  return true
}

/** Characters (UTF-16) of the longest key that is kept as it is. */
export const LONGEST = 64 * 1024
/** Characters kept of a longer one, to be shown. */
const SHOWN = 8192
/** No key that is kept as it is begins so. */
const MARK = '~'
/** Of SHA-256, in base64. */
const DIGEST_LENGTH = 44
const BACKSLASH = 0x5c
const U = 0x75

/** What takes the place of a very long value, which would take its length twice as a text for as long as its record is under way:
 *  its digest. Two of one kind are equal if and only if their texts are, lone surrogates and all.
 *  @param kind one character
 *  @returns undefined: it is not longer than LONGEST */
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

/** What a long atom's text begins with; undefined: it is no long atom. */
export function beginningOf(atom: string): string | undefined {
  return atom.startsWith(MARK) ? atom.slice(MARK.length + 1 + DIGEST_LENGTH) : undefined
}

/** The text of the JSON string whose raw bytes, quotes excluded, are bytes[from, to). No piece ends within an escape or a
 *  character's bytes; a surrogate pair may be in two. */
function* stringPieces(bytes: Buffer, from: number, to: number): Generator<string> {
  for (let at = from; at < to;) {
    const end = pieceEnd(bytes, at, to)
    yield decodeString(bytes, at, end)
    at = end
  }
}

/** Bytes in pieces, a character each. */
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
/** One field of a composite key: a number and a comma, or a text's length and a colon. */
const FIELD = /(-?\d+)([,:])/y
/** The names of its fields, in front of a key of another shape than its table's first. */
const SHAPE = /^\[(?:"(?:[^"\\]|\\.)*",?)+\]/

/** A key for people, the inverse of how it is spelled here, in key-reader.ts and in topic-table.ts.
 *  @returns JSON values, those of several fields in brackets and in the order of the fields' names; undefined: the key is none. */
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
