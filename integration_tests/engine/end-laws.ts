// What must hold when a run has ended, and when nothing is under way to the service any more.

import type { ErrorKind } from '../../src/core/errors.ts'
import type { Permits } from '../../src/core/types.ts'
import { inWords, type Book } from './book.ts'
import { nextMarks } from './idle-laws.ts'
import type { Laws } from './laws.ts'
import type { Fact } from './script.ts'

/** What `deliver` returned, or what it threw. */
export type Result = 'complete' | 'stopped' | { readonly threw: string; readonly kind: ErrorKind | undefined }

export function checkEnd(laws: Laws, result: Result): void {
  const { book, attempts } = laws
  book.note(() => `ended: ${JSON.stringify(result)}`)
  if (typeof result === 'object') {
    const known = [...laws.causes, ...laws.allowedFailures].some(
      ({ message, kind }) => kind === result.kind && result.threw.includes(message),
    )
    if (!known) book.break('it throws for a reason, and says of which kind', `${result.kind}: ${result.threw}`)
  } else if (laws.causes.length > 0)
    book.break('a failure surfaces', `${laws.causes.map(({ message }) => message).join()}: ${result}`)
  if (result === 'stopped' && !laws.terminated) book.break('it stops only when told to', result)
  if (attempts.inFlight > 0) book.break('it ends when nothing is in flight', `${attempts.inFlight} are`)
  if (result === 'complete') checkComplete(book)
  if (!laws.causes.some(({ message }) => message === 'the commit broke')) checkEarned(laws)
  if (laws.stoppedAt === Infinity && laws.allowedFailures.length === 0) {
    checkTaken(laws)
    const kept = [...book.losses, ...book.leaves].filter(({ settled }) => settled === 0)
    if (kept.length > 0) book.break('a lost track is let go', `${kept.map(({ track }) => track).join()} are not`)
  }
}

/** However it ends, unless it had to stop: what was taken of the input is delivered. */
function checkTaken({ book, closedAt }: Laws): void {
  const open = book.open.filter(
    (fact) => fact.arrivedAt! < closedAt && fact.isDropped !== true && !book.isUnassigned(fact.track),
  )
  if (open.length > 0) book.break('what was read before a bad record is delivered', inWords(open))
}

/** After a complete run: every permit has come back. */
export function checkPermits({ book, attempts: { ceiling, floor } }: Laws, permits: Permits, now: number): void {
  let free = 0
  // far ahead each: neither a pause nor a rate is in the way
  while (free <= ceiling && permits.take('first', now + 3_600_000 * (free + 1))) free++
  if (free > ceiling || free < floor)
    book.break('every permit comes back', `${free} of ${floor} to ${ceiling} are there`)
}

function checkComplete(book: Book): void {
  const { marks, facts, closings } = book.script
  const lost = marks.filter((mark) => !mark.committed && !book.isForgotten(mark))
  if (lost.length > 0)
    book.break('none lost: a complete run has committed every checkpoint', `not ${lost.map(({ id }) => id).join()}`)
  const open = facts.filter((fact) => !book.isUnassigned(fact.track) && !book.isDone(fact))
  if (open.length > 0) book.break('none lost: a complete run has delivered every record', `not ${inWords(open)}`)
  for (const { track, settled } of closings)
    if (
      settled === 0 &&
      !book.isUnassigned(track) &&
      closings.findLast((other) => other.track === track)!.settled === 0
    )
      book.break('a closed track is settled', `track ${track} is not`)
}

function checkEarned({ book, lookedUntil }: Laws): void {
  const mark = nextMarks(book, lookedUntil).find(({ before }) => before.every((fact) => book.isDone(fact)))
  if (mark) book.break('what was earned is committed', `checkpoint ${mark.id} is not`)
}

/** After a complete run, when the last late body has landed: the table is the model's, last arrival wins, whether the
 *  service tells 1 from 1.0 or not. */
export function checkTables(book: Book): void {
  const { facts, versions } = book.script
  for (const [exact, ofExact] of versions) {
    const { fence } = ofExact[0]!
    checkRow(book, exact, ofExact)
    checkRow(
      book,
      `fence ${fence}`,
      facts.filter((fact) => fact.fence === fence),
    )
  }
  for (const fact of facts)
    if (fact.fence === undefined && fact.done === 'written' && !fact.stored)
      book.break('final table', `${inWords([fact])} is missing`)
}

function checkRow(book: Book, key: string, versions: readonly Fact[]): void {
  if (versions.some(({ track }) => book.isUnassigned(track))) return
  const newest = versions.findLast(({ done }) => done !== 'rejected')
  const row = book.rows.get(key)
  if (row !== newest) book.break('final table', `${key} is ${row?.v}, not ${newest?.v}`)
}
