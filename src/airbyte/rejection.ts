// A RECORD line with the reason of its rejection in it, and otherwise as it was: what a file of rejected records holds, and
// `write` takes again.

import { isName, nameOf } from '../json/name.ts'
import { nameStart, Scanner } from '../json/scanner.ts'
import { singleLine } from '../json/strings.ts'
import type { Rejection } from '../mapping/rejected-points.ts'

const NAME = 'rejection'
const REJECTION = nameOf(NAME)

/** @param line one JSON object, valid UTF-8 and without LF; white space may surround it
 *  @returns the line in pieces, views of it mostly, with `rejection` as the last member of that object, in place of any it has; every other member, and what
 *  stands between them, stays byte for byte */
export function withRejection(line: Buffer, rejection: Rejection): Buffer[] {
  const scanner = new Scanner(0)
  scanner.start(line, 0, line.length)
  // members that stay, all but the first with what stands before it: a comma, white space
  const others: Buffer[] = []
  let headTo = scanner.at + 1
  let before = headTo
  let isFirst = true
  for (let more = scanner.open(); more; more = scanner.next()) {
    const { nameFrom, nameTo } = scanner
    const quote = nameStart(nameFrom) - 1
    if (isFirst) headTo = before = quote
    isFirst = false
    scanner.skip()
    if (!isName(line, nameFrom, nameTo, REJECTION))
      others.push(line.subarray(others.length === 0 ? quote : before, scanner.at))
    before = scanner.at
  }
  if (scanner.failedAt !== -1) throw new TypeError('the line is not a JSON object')
  const member = `${others.length > 0 ? ',' : ''}"${NAME}":${text(rejection)}`
  return [line.subarray(0, headTo), ...others, Buffer.from(member), line.subarray(before)]
}

function text({ supersededAt, line, rejectedAt, ...facts }: Rejection): string {
  const { stream, namespace, table, reason, superseded } = facts
  const older = supersededAt.length > 0 ? { superseded_at: supersededAt } : {}
  return singleLine({ stream, namespace, table, reason, superseded, ...older, line, rejected_at: rejectedAt })
}
