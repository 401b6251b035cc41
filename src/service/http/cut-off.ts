// Whether an answer was cut off although HTTP has nothing to say against its end: a body with neither a length nor chunks
// ends wherever its connection does. Knows no status.

import { isUnfinished } from '../../json/unfinished.ts'
import type { HttpAnswer } from './answer.ts'
import { header, markLength } from './answer.ts'

/** What a body has to begin with that may have been cut off: JSON objects, or arrays too. */
export type Openings = '{' | '{['

const BLANKS = Buffer.from(' \t\r\n')

/** Whether the body ends where the connection does, so that nothing tells a whole one from the beginning of one. */
export function endsWithConnection(answer: HttpAnswer): boolean {
  if (header(answer, 'content-length') !== undefined) return false
  return !/(?:^|,)\s*chunked\s*$/i.test(header(answer, 'transfer-encoding') ?? '')
}

/** Whether the connection ended in the middle of a JSON object (or array). */
export function isCutOff(answer: HttpAnswer, openings: Openings = '{'): boolean {
  if (answer.end !== 'whole' || !endsWithConnection(answer)) return false
  const { json, body } = answer
  if (!json) return beginsJson(body, openings)
  return json.verdict === 'unfinished' && openings.includes(String.fromCharCode(json.first!))
}

/** Whether `body` is the beginning of an object (or array), and not the whole of it: more bytes could make it one. As
 *  elsewhere in an answer, a byte order mark may stand before it, and what is no UTF-8 within a string is none of our business. */
export function beginsJson(body: Uint8Array, openings: Openings): boolean {
  const from = markLength(body)
  if (from === body.length) return from > 0
  let at = from
  while (at < body.length && BLANKS.includes(body[at]!)) at++
  return at < body.length && openings.includes(String.fromCharCode(body[at]!)) && isUnfinished(body, from)
}
