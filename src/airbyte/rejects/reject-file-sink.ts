// Rejected records as lines of a file that `write` takes again. How a file keeps lines is reject-file.ts's.

import { ConnectorError } from '../../core/errors.ts'
import type { Track } from '../../core/types.ts'
import { withRejection } from '../rejection.ts'
import type { RejectFile } from '../../rejects/reject-file.ts'
import type { RejectSink } from './reject-sink.ts'
import type { Rejection } from '../../mapping/rejected-points.ts'

/** @param isInput whether it is what is being read, so that a line added would be read again, and again */
export function rejectFileSink(path: string, file: Pick<RejectFile, 'append'>, isInput: boolean): RejectSink {
  const shown = JSON.stringify(path)
  return {
    place: `the file ${shown}`,
    async keep({ track }, facts, line) {
      if (isInput) throw inputRefused(shown, track, facts)
      await file.append(withRejection(typeof line === 'string' ? Buffer.from(line, 'latin1') : line, facts))
      return undefined
    },
  }
}

function inputRefused(shown: string, track: Track, { line, reason }: Rejection): ConnectorError {
  const message =
    `Input line ${line} holds a record that can still not be stored: ${reason}. ` +
    `It cannot be kept in ${shown}, which is the input itself: move that file to another name, and read it from there.`
  return new ConnectorError('config', message, { track })
}
