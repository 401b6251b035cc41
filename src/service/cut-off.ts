// Whether an answer was cut off although HTTP has nothing to say against its end: a body with neither a length nor chunks
// ends wherever its connection does. Knows no status.

import { Scanner } from '../json/scanner.ts'
import type { Answer } from './answer.ts'
import { header } from './answer.ts'

/** What a body has to begin with that may have been cut off: JSON objects, or arrays too. */
export type Openings = '{' | '{['

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)
/** `}` and `]`. */
const CLOSING = new Set([0x7d, 0x5d])
const LITERALS = ['true', 'false', 'null']

const scanner = new Scanner(1)

/** Whether the body ends where the connection does, so that nothing tells a whole one from the beginning of one. */
export function endsWithConnection(answer: Answer): boolean {
  if (header(answer, 'content-length') !== undefined) return false
  return !/(?:^|,)\s*chunked\s*$/i.test(header(answer, 'transfer-encoding') ?? '')
}

/** Whether the connection ended in the middle of a JSON object (or array). */
export function isCutOff(answer: Answer, openings: Openings = '{'): boolean {
  if (answer.end !== 'whole' || !endsWithConnection(answer)) return false
  // of a body that is longer than what is kept, the last byte is known
  if (answer.length > answer.body.length && CLOSING.has(answer.last ?? 0)) return false
  return beginsJson(answer.body, openings)
}

/** Whether `body` is the beginning of an object (or array), and not the whole of it: more bytes could make it one. As
 *  elsewhere in an answer, a byte order mark may stand before it, and what is no UTF-8 within a string is none of our business. */
export function beginsJson(body: Uint8Array, openings: Openings): boolean {
  const mark = BYTE_ORDER_MARK.subarray(0, body.length)
  const from = mark.length > 0 && mark.equals(body.subarray(0, mark.length)) ? mark.length : 0
  if (from === body.length) return from > 0
  if (endsEarly(body, from, openings)) return true
  const rest = restOfLiteral(body)
  return rest !== '' && endsEarly(Buffer.concat([body, Buffer.from(rest)]), from, openings)
}

/** Whether the end is all that is wrong with bytes[from, …). The scanner takes half a literal for a fault at its first byte. */
function endsEarly(bytes: Uint8Array, from: number, openings: Openings): boolean {
  scanner.start(bytes, from, bytes.length)
  if (scanner.at === bytes.length || !openings.includes(String.fromCharCode(bytes[scanner.at]!))) return false
  scanner.skip()
  return !scanner.finish() && scanner.failedAt === bytes.length
}

/** What makes a body that ends in the middle of `true`, `false` or `null` end behind it. */
function restOfLiteral(body: Uint8Array): string {
  const letters = /[a-z]+$/.exec(Buffer.from(body.subarray(-5)).toString('latin1'))?.[0] ?? ''
  return letters === '' ? '' : (LITERALS.find((literal) => literal.startsWith(letters))?.slice(letters.length) ?? '')
}
