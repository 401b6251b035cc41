// Rejected records as rows of a table of the warehouse, which outlives the process. Who delivers them is the engine.

import { ConnectorError } from '../../core/errors.ts'
import type { Table, Track } from '../../core/types.ts'
import { RejectedPoints } from '../../mapping/rejected-points.ts'
import type { Origin } from '../origin.ts'
import type { RejectSink } from './reject-sink.ts'
import type { Rejection } from '../../mapping/rejected-points.ts'

/** @param maxBytes what a request should not exceed
 *  @param collect collects garbage, at once */
export function rejectTableSink(name: string, maxBytes: number, collect: () => void): RejectSink {
  const points = new RejectedPoints(name, maxBytes, collect)
  return {
    place: `the table "${name}"`,
    keep({ track, table }, facts, line) {
      // its own rows come back too, and must not go round for ever
      if (table === points.table) return Promise.reject(refused(table, track, facts))
      return Promise.resolve(points.of<Origin>(track, facts, line, facts.line))
    },
  }
}

function refused({ name }: Table, track: Track, { line, reason }: Rejection): ConnectorError {
  const message =
    `The table "${name}" itself did not take a rejected record (input line ${line}): ${reason}. ` +
    'If it is too large, set max_request_bytes to what the service takes, for parts of a record follow it; or keep rejected records in a file (rejected_file) or another table (rejected_table). Then run again: the next run goes on from the last state.'
  return new ConnectorError('config', message, { track })
}
