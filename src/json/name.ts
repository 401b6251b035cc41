// A member name that is looked for in JSON texts, and its comparison with the names there, bytes against bytes.

import { decodeString } from './strings.ts'

/** The most bytes that a UTF-16 unit takes in JSON: those of an escape, as \u0041. A name of more cannot be equal, so it is not decoded. */
const UNIT_BYTES = 6

/** A name that is looked for, with what makes the comparison fast. */
export interface Name {
  readonly text: string
  readonly utf8: Uint8Array
  /** The length of `utf8`; -1 when the text holds a lone surrogate: such a name stands in JSON only with an escape. */
  readonly length: number
  /** The first four and the last four bytes as numbers; they overlap in a name of less than eight. 0 when it has less than four. */
  readonly head: number
  readonly tail: number
}

export function nameOf(text: string): Name {
  const utf8 = Buffer.from(text)
  const length = text.isWellFormed() ? utf8.length : -1
  if (length < 4) return { text, utf8, length, head: 0, tail: 0 }
  return { text, utf8, length, head: fourBytes(utf8, 0), tail: fourBytes(utf8, length - 4) }
}

/** Whether bytes[nameFrom, nameTo), the inside of a name's quotes, is this name.
 *  @param nameFrom as the scanner reports it: the place itself, or ~place (negative) when the name holds a backslash */
export function isName(bytes: Buffer, nameFrom: number, nameTo: number, name: Name): boolean {
  if (nameFrom < 0)
    return nameTo - ~nameFrom <= UNIT_BYTES * name.text.length && decodeString(bytes, ~nameFrom, nameTo) === name.text
  const length = name.length
  if (length !== nameTo - nameFrom) return false
  // Two numbers decide on up to eight bytes. A loop over the bytes instead makes reading an Airbyte line 10 % slower (bench/scan.ts).
  if (length < 4) return isSame(bytes, nameFrom, name.utf8, 0, length)
  if (fourBytes(bytes, nameFrom) !== name.head || fourBytes(bytes, nameTo - 4) !== name.tail) return false
  return length <= 8 || isSame(bytes, nameFrom, name.utf8, 4, length - 4)
}

function fourBytes(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

/** Whether bytes[at + from, at + to) are equal to wanted[from, to). */
function isSame(bytes: Uint8Array, at: number, wanted: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}
