// The outcome of a topic's record: its item is made, it is left out under a word that is counted, it is rejected, or by a policy of
// its topic it ends the run.

import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { PartitionPosition } from '../types.ts'
import type { Ignored, RejectedValue } from '../values/read-object.ts'

/** Each is known by the one member that it has: `made`, `ignored` or `rejected`. What ends the run is thrown (`policyStop`). */
export type RecordOutcome = Made | Ignored | RejectedValue

/** The record's item stands in the slot: of a row, or of one that is marked as deleted. */
export interface Made {
  readonly made: 'row' | 'mark'
}

export const ROW: Made = { made: 'row' }
export const MARK: Made = { made: 'mark' }

export const TOMBSTONE: Ignored = { ignored: 'tombstone' }
/** A tombstone whose row is not known. */
export const ROWLESS: Ignored = { ignored: 'tombstone without a row' }
/** A delete or an update whose table is not known. */
export const TABLELESS: Ignored = { ignored: 'delete without a table' }

/** The error for a record that a policy stops at.
 *  @param found, remedy whole sentences */
export function policyStop(
  code: Code,
  { topic, partition, offset }: PartitionPosition,
  found: string,
  remedy: string,
): ConnectorError {
  const message = `Topic "${topic}", partition ${partition}, offset ${offset}: ${found} ${remedy}`
  return new ConnectorError('config', code, message, { track: { name: topic } })
}

const SHOWN = 10
const SHOWN_NAME = 200

/** Names columns for a message, shortened, since a record may name them at any length. */
export function columnsInWords(columns: readonly string[]): string {
  const names = columns
    .slice(0, SHOWN)
    .map((name) => JSON.stringify(name.length <= SHOWN_NAME ? name : `${name.slice(0, SHOWN_NAME)}…`))
  const more = columns.length > SHOWN ? ` and ${columns.length - SHOWN} more` : ''
  return `${columns.length === 1 ? 'column' : 'columns'} ${names.join(', ')}${more}`
}
