// What `write` says to a person at its end: how it ended, what is stored, and what to do next. Texts are not scrubbed.

import { asConnectorError } from '../core/errors.ts'
import { withCode } from '../process/paint.ts'
import { unwritten } from '../process/print.ts'
import type { RunFacts } from '../run/run-facts.ts'
import { counted, elapsedText, thousands } from '../text/figures.ts'

export function failedWords(error: unknown, facts: RunFacts | undefined): string {
  return `Failed: ${asConnectorError(error).message}${facts ? ` ${storedWords(facts)}` : ''}`
}

function storedWords({ total: { counts } }: RunFacts): string {
  const { records = 0, written = 0 } = counts
  return `Records stored: ${thousands(written)} of ${thousands(records)} read.`
}

export function doneWords({ total: { counts }, at, startedAt, rejectsPlace }: RunFacts): string {
  const { written = 0, rows = 0, rejected = 0 } = counts
  const kept = rejectsPlace === undefined ? '' : ` and kept in ${rejectsPlace}`
  const rejects = rejected > 0 ? `; ${counted(rejected, 'record')} rejected${kept}` : ''
  return `Done in ${elapsedText(at - startedAt)}: ${counted(written, 'record')} stored, in ${counted(rows, 'row')}${rejects}.`
}

export function stoppedWords(facts: RunFacts): string {
  return `Interrupted. ${storedWords(facts)} ${againWords('came back')}`
}

const againWords = (state: string): string =>
  `Run the same command again, starting from the last STATE that ${state}, if any. Records sent twice are stored once.`

/** Words for a run whose STATE and LOG lines could not be written to their end.
 *  @param facts its last ones; `undefined` when nothing was read
 *  @param cause a code; EPIPE: the reader is gone */
export function unreadWords(facts: RunFacts | undefined, cause: string): string {
  const [why, code] =
    cause === 'EPIPE'
      ? ['Nobody reads standard output any more: it was closed.', undefined]
      : [unwritten(cause), 'output.unwritable']
  const words =
    facts === undefined
      ? why
      : `${why} ${storedWords(facts)} The STATE lines that were not read are lost. ${cause === 'ENOSPC' ? 'Make room, or write it elsewhere. ' : ''}${againWords('was read')}`
  return withCode(words, code)
}
