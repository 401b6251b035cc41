// A member name that is looked for, and its comparison with names as they stand in a text, bytes against bytes.

import { decodeString } from './strings.ts'

/** Bytes that a UTF-16 unit takes at most, as an escape: a longer name need not be decoded. */
const ESCAPED = 6

/** A name that is looked for, with what makes comparing it fast. */
export interface Name {
  readonly text: string
  readonly utf8: Uint8Array
  /** Length in bytes; -1 when the text holds a lone surrogate: no unescaped name can equal it. */
  readonly length: number
  /** The first and the last four bytes, of a name that has four; they may overlap. */
  readonly head: number
  readonly tail: number
}

export function nameOf(text: string): Name {
  const utf8 = Buffer.from(text)
  const length = text.isWellFormed() ? utf8.length : -1
  if (length < 4) return { text, utf8, length, head: 0, tail: 0 }
  return { text, utf8, length, head: word(utf8, 0), tail: word(utf8, length - 4) }
}

/** Whether the name at bytes[nameFrom, nameTo) is this one. `nameFrom` is as the scanner reports it: ~nameFrom when the name holds a
 *  backslash. */
export function isName(bytes: Buffer, nameFrom: number, nameTo: number, name: Name): boolean {
  if (nameFrom < 0)
    return nameTo - ~nameFrom <= ESCAPED * name.text.length && decodeString(bytes, ~nameFrom, nameTo) === name.text
  const length = name.length
  if (length !== nameTo - nameFrom) return false
  // Two words decide up to eight bytes; a loop over them costs a record's envelope 10 % (bench/scan.ts).
  if (length < 4) return isSame(bytes, nameFrom, name.utf8, 0, length)
  if (word(bytes, nameFrom) !== name.head || word(bytes, nameTo - 4) !== name.tail) return false
  return length <= 8 || isSame(bytes, nameFrom, name.utf8, 4, length - 4)
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

function isSame(bytes: Uint8Array, at: number, wanted: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}
