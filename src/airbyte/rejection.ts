// A RECORD line with the reason of its rejection in it, and otherwise as it was: what a file of rejected records holds, and
// `write` takes again.

import { isName, nameOf } from '../json/name.ts'
import { nameStart, Scanner } from '../json/scanner.ts'
import { singleLine } from '../json/strings.ts'
import type { Rejection } from '../mapping/rejected-points.ts'

const NAME = 'rejection'
const REJECTION = nameOf(NAME)

/** Puts `rejection` behind the other members of the line's object, in place of any it has. Every other member, and what stands between
 *  them, stays byte for byte.
 *  @param line one JSON object, valid UTF-8 and without LF; white space may surround it
 *  @returns the new line in pieces, most of them views of `line` */
export function withRejection(line: Buffer, rejection: Rejection): Buffer[] {
  const scanner = new Scanner(0)
  scanner.start(line, 0, line.length)
  // members that stay: all but the first with the comma and white space in front
  const members: Buffer[] = []
  let firstFrom = scanner.at + 1
  let lastTo = firstFrom
  let isFirst = true
  for (let more = scanner.open(); more; more = scanner.next()) {
    const { nameFrom, nameTo } = scanner
    const nameQuote = nameStart(nameFrom) - 1
    if (isFirst) firstFrom = lastTo = nameQuote
    isFirst = false
    scanner.skip()
    if (!isName(line, nameFrom, nameTo, REJECTION))
      members.push(line.subarray(members.length === 0 ? nameQuote : lastTo, scanner.at))
    lastTo = scanner.at
  }
  // -1: nowhere
  if (scanner.failedAt !== -1) throw new TypeError('the line is not a JSON object')
  const newMember = `${members.length > 0 ? ',' : ''}"${NAME}":${jsonOf(rejection)}`
  return [line.subarray(0, firstFrom), ...members, Buffer.from(newMember), line.subarray(lastTo)]
}

function jsonOf({ supersededAt, line, rejectedAt, ...facts }: Rejection): string {
  const { stream, namespace, table, reason, superseded } = facts
  const older = supersededAt.length > 0 ? { superseded_at: supersededAt } : {}
  return singleLine({ stream, namespace, table, reason, superseded, ...older, line, rejected_at: rejectedAt })
}
