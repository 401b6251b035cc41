// The outcome of a topic's record: an item is made of it, it is left out and counted under a word, it is rejected, or it ends the run.

import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { PartitionPosition } from '../types.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'

/** Each is known by the one member that it has: `made`, `ignored` or `rejected`. What ends the run is thrown (`policyStop`). */
export type RecordOutcome = Made | Ignored | RejectedValue

/** The record became an item, in the slot that `TopicFormat.outcome` was given: one that writes a `row`, or the `mark` of a deleted one. */
export interface Made {
  readonly made: 'row' | 'mark'
}

export const ROW: Made = { made: 'row' }
export const MARK: Made = { made: 'mark' }

export const TOMBSTONE: Ignored = { ignored: 'tombstone' }
/** A tombstone whose row is not known. */
export const ROWLESS: Ignored = { ignored: 'tombstone without a row' }
/** A delete whose table is not known; an update of that kind, which is rarer, is counted under the same word. */
export const TABLELESS: Ignored = { ignored: 'delete without a table' }

/** Makes the error for a record at which a policy of its topic ends the run. Problem and remedy are whole sentences. */
export function policyStop(code: Code, place: PartitionPosition, problem: string, remedy: string): ConnectorError {
  const { topic, partition, offset } = place
  const message = `Topic "${topic}", partition ${partition}, offset ${offset}: ${problem} ${remedy}`
  return new ConnectorError('config', code, message, { track: { name: topic } })
}

/** Most columns that a message names, and most characters of each: a record may have many, with names of any length. */
const MOST_NAMED = 10
const MOST_CHARACTERS = 200

/** Names columns for a message. */
export function columnsInWords(columns: readonly string[]): string {
  const names = columns
    .slice(0, MOST_NAMED)
    .map((name) => JSON.stringify(name.length <= MOST_CHARACTERS ? name : `${name.slice(0, MOST_CHARACTERS)}…`))
  const more = columns.length > MOST_NAMED ? ` and ${columns.length - MOST_NAMED} more` : ''
  return `${columns.length === 1 ? 'column' : 'columns'} ${names.join(', ')}${more}`
}
