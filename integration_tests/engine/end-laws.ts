// What must hold when a run has ended, and when nothing is under way to the service any more.

import type { Book } from './book.ts'
import { inWords } from './book.ts'
import type { Laws } from './laws.ts'
import type { Fact } from './script.ts'

/** What `deliver` returned, or what it threw. */
export type Result = 'complete' | 'stopped' | { readonly threw: string; readonly isConnectorError: boolean }

export function checkEnd(laws: Laws, result: Result): void {
  const { book } = laws
  book.note(() => `ended: ${JSON.stringify(result)}`)
  if (typeof result === 'object') {
    const known = [...laws.causes, ...laws.excuses].some((cause) => result.threw.includes(cause))
    if (!known || !result.isConnectorError) book.break('it throws for a reason, and a ConnectorError', result.threw)
  } else if (laws.causes.length > 0) book.break('a failure surfaces', `${laws.causes.join()}: ${result}`)
  if (result === 'stopped' && !laws.terminated) book.break('it stops only when told to', result)
  if (laws.inFlight > 0) book.break('it ends when nothing is in flight', `${laws.inFlight} are`)
  if (result === 'complete') checkComplete(book)
  if (!laws.causes.includes('the commit broke')) checkEarned(laws)
}

function checkComplete(book: Book): void {
  const { marks, facts, closings } = book.script
  const lost = marks.filter((mark) => !mark.committed && !book.isForgotten(mark))
  if (lost.length > 0)
    book.break('none lost: a complete run has committed every checkpoint', `not ${lost.map(({ id }) => id).join()}`)
  const open = facts.filter((fact) => !book.abandoned.has(fact.track) && !book.isDone(fact))
  if (open.length > 0) book.break('none lost: a complete run has delivered every record', `not ${inWords(open)}`)
  for (const { track, settled } of closings)
    if (settled === 0 && closings.findLast((other) => other.track === track)!.settled === 0)
      book.break('a closed track is settled', `track ${track} is not`)
}

function checkEarned({ book, lookedUntil }: Laws): void {
  const waiting: (number | 'all')[] = []
  for (const mark of book.script.marks) {
    if ((mark.arrivedAt ?? Infinity) >= lookedUntil || mark.committed || book.isForgotten(mark)) continue
    const earned = mark.before.every((fact) => book.isDone(fact))
    const behind =
      waiting.includes('all') || waiting.includes(mark.scope) || (mark.scope === 'all' && waiting.length > 0)
    if (earned && !behind) book.break('what was earned is committed', `checkpoint ${mark.id} is not`)
    waiting.push(mark.scope)
  }
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
  if (versions.some(({ track }) => book.abandoned.has(track))) return
  const newest = versions.findLast(({ done }) => done !== 'rejected')
  const row = book.rows.get(key)
  if (row !== newest) book.break('final table', `${key} is ${row?.v}, not ${newest?.v}`)
}
