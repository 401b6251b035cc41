// In the place of a very long key its digest does: the key itself would take its length twice as a text, for as long as its
// record is under way. Knows no key's meaning.

import { createHash } from 'node:crypto'
import { decodeString } from '../json/strings.ts'

/** Characters (UTF-16) of the longest key that is kept as it is. */
export const LONGEST = 64 * 1024
/** Of a longer one so many are kept, to be shown. */
const SHOWN = 8192
/** No key that is kept as it is begins so. */
const MARK = '~'
/** Of SHA-256, in base64. */
const DIGEST_LENGTH = 44
const BACKSLASH = 0x5c
const U = 0x75

/** Two of one kind are equal if and only if their texts are, lone surrogates and all.
 *  @param kind one character
 *  @returns undefined: it is not longer than LONGEST */
export function longAtom(kind: string, pieces: Iterable<string>): string | undefined {
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
export function* stringPieces(bytes: Buffer, from: number, to: number): Generator<string> {
  for (let at = from; at < to;) {
    const end = pieceEnd(bytes, at, to)
    yield decodeString(bytes, at, end)
    at = end
  }
}

/** Bytes in pieces, a character each. */
export function* bytePieces(bytes: Buffer, from: number, to: number): Generator<string> {
  for (let at = from; at < to; at += LONGEST) yield bytes.toString('latin1', at, Math.min(at + LONGEST, to))
}

function pieceEnd(bytes: Buffer, from: number, to: number): number {
  let at = from
  const enough = Math.min(to, from + LONGEST)
  while (at < enough) at += bytes[at] !== BACKSLASH ? 1 : bytes[at + 1] === U ? 6 : 2
  while (at < to && (bytes[at]! & 0xc0) === 0x80) at++
  return at
}
