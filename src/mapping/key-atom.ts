// Makes comparable atoms from the raw bytes of key values, at two levels (decisions.md#keys-are-equal-at-two-levels), and turns whole
// keys back into values for people. A key (key-reader.ts) is the atom of its only field, or the `compositePart` of each; in front of it
// may stand the names of its fields (topic-table.ts).

import { exactOf } from '../core/key.ts'
import type { KeyAtom, Key } from '../core/types.ts'
import { BRACE, BRACKET, MINUS, N, NINE, QUOTE, ZERO } from '../json/bytes.ts'
import { canonicalNumber, canonicalNumberText } from '../json/decimal.ts'
import { decodeString } from '../json/strings.ts'

/** A key value at both levels. The kinds cannot be confused: a text begins with `"`, a number that was not sent as a plain integer with
 *  `#`; booleans are words, and other numbers are in the canonical form of json/decimal.ts. */
export interface Atom {
  /** The value with escapes resolved, a number as it was sent: points are merged only if it is equal. */
  exact: KeyAtom
  /** The value with numbers by value, also those in strings: points with an equal one are never in flight together. */
  fence: KeyAtom
}

/** The most bytes of a value, as sent: until its record is settled, memory holds it as text besides, at each level. */
export const MOST_BYTES = 65_536
/** The largest exponent of a number, and with a minus the smallest: no system of numbers has more. */
const MOST_EXPONENT = 10_000

/** The first bytes of true and false. */
const TRUE = 0x74
const FALSE = 0x66

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Reads the scalar bytes[from, to) into `atom`. @returns why it cannot be part of a key, if so */
export function readAtom(bytes: Buffer, from: number, to: number, atom: Atom): string | undefined {
  const first = bytes[from]!
  if (first === N) return 'is null'
  if (first === BRACKET) return 'is an array'
  if (first === BRACE) return 'is an object'
  if (to - from > MOST_BYTES) return 'has more than 65,536 bytes; choose another key'
  if (first === QUOTE) readText(decodeString(bytes, from + 1, to - 1), atom)
  else if (first === TRUE || first === FALSE) atom.exact = atom.fence = first === TRUE ? 'true' : 'false'
  else return readNumber(bytes, from, to, atom)
  return undefined
}

function readText(text: string, atom: Atom): void {
  atom.exact = atom.fence = `"${text}`
  const first = text.charCodeAt(0)
  if ((first === MINUS || (first >= ZERO && first <= NINE)) && NUMBER.test(text)) atom.fence = canonicalNumberText(text)
}

function readNumber(bytes: Buffer, from: number, to: number, atom: Atom): string | undefined {
  if (isPlainInteger(bytes, from, to)) {
    atom.exact = atom.fence = canonicalNumber(bytes, from, to)
    return undefined
  }
  const text = bytes.toString('latin1', from, to)
  const exponent = Number(text.split(/[eE]/)[1] ?? 0)
  if (Math.abs(exponent) > MOST_EXPONENT)
    return 'has an exponent beyond ±10,000; let it be sent as a string, or choose another key'
  atom.exact = `#${text}`
  atom.fence = canonicalNumberText(text)
  return undefined
}

/** Whether a number is a plain integer, whose spelling follows from its value: digits, perhaps behind a minus, and not `-0`. */
function isPlainInteger(bytes: Buffer, from: number, to: number): boolean {
  let at = from
  if (bytes[at] === MINUS && bytes[++at] === ZERO) return false
  for (; at < to; at++) if (bytes[at]! < ZERO || bytes[at]! > NINE) return false
  return true
}

/** An integer beyond 2^53 in canonical form, such as 12e20: its digits without the zeros at its end, and how many zeros these are. */
const LARGE_INTEGER = /^(-?\d+)e(\d{1,3})$/
/** Begins one field of a composite key: a number and a comma, or a text's length and a colon. */
const FIELD = /(-?\d+)([,:])/y
/** The names of its fields, which stand in front of a key where they differ from those of the first key of its table. */
const SHAPE = /^\[(?:"(?:[^"\\]|\\.)*",?)+\]/

/** Turns a key back into values for people.
 *  @returns JSON values; if there are several fields, in brackets and in the order of their names. `undefined` when there is no key. */
export function shownKey(key: Key): string | undefined {
  const whole = exactOf(key)
  const exact = typeof whole === 'string' ? whole.replace(SHAPE, '') : whole
  if (exact === undefined) return undefined
  const fields = typeof exact === 'number' ? undefined : fieldsOf(exact)
  if (fields?.length === 0) return undefined
  return fields ? `(${fields.map(shownAtom).join(', ')})` : shownAtom(exact)
}

/** Makes of a key the form that tells rows apart as the service does: numbers by value, texts as they are; 1 is 1.0, but not "1". */
export function rowKey(key: Key): KeyAtom | undefined {
  if (typeof key !== 'object') return key
  const text = `${key.exact}`
  const shape = SHAPE.exec(text)?.[0] ?? ''
  const exact = text.slice(shape.length)
  const fields = fieldsOf(exact)?.map((field) => compositePart(byValue(field)))
  const row = fields?.join('') ?? byValue(exact)
  return shape === '' ? row : `${shape}${row}`
}

/** Makes of an exact atom the form that numbers of one value share. */
function byValue(atom: KeyAtom): KeyAtom {
  return typeof atom === 'string' && atom.startsWith('#') ? canonicalNumberText(atom.slice(1)) : atom
}

/** One field of a composite key. Its length comes first, so that different lists of fields never give the same text. */
export function compositePart(atom: KeyAtom): string {
  return typeof atom === 'number' ? `${atom},` : `${atom.length}:${atom}`
}

/** The fields of a composite key. `undefined` when the key is of one field, empty when it is no key that `compositePart` makes. */
function fieldsOf(exact: string): KeyAtom[] | undefined {
  if (!/^-?\d+[,:]/.test(exact)) return undefined
  const fields: KeyAtom[] = []
  for (let at = 0; at < exact.length;) {
    FIELD.lastIndex = at
    const [start, number, separator] = FIELD.exec(exact) ?? ['', '', '']
    if (separator === '') return []
    const from = at + start.length
    at = separator === ',' ? from : from + Number(number)
    fields.push(separator === ',' ? Number(number) : exact.slice(from, at))
  }
  return fields
}

function shownAtom(atom: string | number): string {
  if (typeof atom === 'number') return String(atom)
  if (atom.startsWith('"')) return JSON.stringify(atom.slice(1))
  if (atom.startsWith('#')) return atom.slice(1)
  const [, digits, zeros] = LARGE_INTEGER.exec(atom) ?? []
  return digits === undefined ? atom : digits + '0'.repeat(Number(zeros))
}
