// The policy `fail`: the first rejected record stops the run, in words
// (decisions.md#one-policy-for-every-rejected-record).

import { ConnectorError } from '../../core/errors.ts'
import type { Rejects } from '../../core/types.ts'
import { lineNumber } from '../origin.ts'
import type { Origin } from '../origin.ts'
import { reasonOf, whichRecord } from '../../rejects/rejected-words.ts'
import type { Telling } from '../../rejects/rejected-words.ts'

/** `put` always rejects with a ConnectorError (config) that names stream, table, line and reason. */
export function failOnRejected(telling: Telling): Rejects<Origin> {
  return {
    overlaps: false,
    placeOf: () => undefined,
    put(rejected) {
      const { superseded, track } = rejected
      const older = superseded > 0 ? ` It stood for ${versions(superseded)} of its row, not stored either.` : ''
      const message =
        `A record ${whichRecord(rejected, lineNumber(rejected.origin), telling)} cannot be stored: ${reasonOf(rejected, telling)}.${older} ` +
        'Correct it at its source, leave the stream out, or set on_rejected: divert to keep such records aside, and run again: the next run goes on from the last state.'
      return Promise.reject(new ConnectorError('config', message, { track }))
    },
  }
}

function versions(count: number): string {
  return count === 1 ? 'one older version' : `${count} older versions`
}
