// The members of points under the names that are written. V8's JSON.parse (Node 24 and 26) may take a name that begins with an
// escape for another one, which begins with a backslash and which it met at that place of an earlier object.

import { decodeString } from '../json/decode-string.ts'
import { Scanner, STRIDE } from '../json/scanner.ts'
import { afterSpace } from '../json/tokens.ts'

const ESCAPED_START = Buffer.from('"\\')

/** @param body valid JSON
 *  @param points what JSON.parse made of it
 *  @param inArray whether they stand in one
 *  @returns the same points, or, where a text of the body begins with an escape, such as are named as it is written; values
 *  within members are JSON.parse's */
export function withTrueNames(body: Buffer, points: readonly unknown[], inArray: boolean): readonly unknown[] {
  if (!body.includes(ESCAPED_START)) return points
  const scanner = new Scanner()
  let at = afterSpace(body, 0) + (inArray ? 1 : 0)
  return points.map((point) => {
    scanner.start(body, at, body.length)
    const isObject = body[scanner.at] === OPEN_OBJECT
    if (isObject) scanner.table()
    else scanner.skip()
    // past the comma too
    at = afterSpace(body, scanner.at) + 1
    return isObject ? objectOf(body, scanner) : point
  })
}

const OPEN_OBJECT = 123

function objectOf(body: Buffer, { members, count }: Scanner): object {
  const named = Array.from({ length: count }, (_, index): [string, unknown] => {
    const slot = index * STRIDE
    const from = members[slot]!
    const name = decodeString(body, from < 0 ? ~from : from, members[slot + 1]!)
    return [name, JSON.parse(body.toString('utf8', members[slot + 2], members[slot + 3]))]
  })
  return Object.fromEntries(named)
}
