// Warnings about an input whose reading is over, each of another thing that would not be noticed otherwise.

import { label } from '../mapping/stream-mapping.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import type { EndWords } from '../run/open-input.ts'
import { counted, thousands } from '../text/figures.ts'
import type { MessageReader } from './reader.ts'
import type { MappedStream } from './mapped-stream.ts'

const EMPTY =
  'Standard input was empty: no message came, so nothing was stored. Is a source at the other end of the pipe?'

/** No fault: a source may have nothing to say. But it is also what a pipe brings whose writer failed. */
export function emptyInput(isEmpty: boolean): EndWords[] {
  return isEmpty ? [['warn', EMPTY]] : []
}

/** Nothing destructive happens at the end of a run, so there is no more to it (decisions.md#an-unfinished-stream-is-a-warning). */
export function unfinishedStreams(streams: readonly MappedStream[], hasGenerations: boolean): EndWords[] {
  return streams
    .filter(({ status }) => (status === undefined ? hasGenerations : status !== 'COMPLETE'))
    .map(({ mapping, status }) => [
      'warn',
      `Stream ${label(mapping.track)} ended ${status === 'INCOMPLETE' ? status : 'without COMPLETE'}: what arrived was written; the source may not have finished.`,
    ])
}

/** A RECORD in small letters would be one (decisions.md#a-line-that-cannot-be-read-stops-the-run). */
export function unknownTypes({ count, line }: MessageReader<unknown>['unknown']): EndWords[] {
  if (count === 0) return []
  const what =
    count === 1 ? 'Ignored 1 message of an unknown type' : `Ignored ${thousands(count)} messages of unknown types`
  return [
    [
      'warn',
      `${what}, the first in input line ${line}. Messages with records and states have the types RECORD and STATE, in capital letters.`,
    ],
  ]
}

/** Files that records name (`file_reference`) are not stored: their rows are, so the loss would not be noticed.
 *  @returns a warning a stream, in the order of their first files */
export function filesLeftOut(
  named: MessageReader<{ readonly mapping: Pick<StreamMapping, 'track'> }>['files'],
): EndWords[] {
  return Array.from(named, ([{ mapping }, { count, line }]) => [
    'warn',
    `Stream ${label(mapping.track)}: the files of ${counted(count, 'record')} (\`file_reference\`) are left out, the first in input line ${line}. Rows are stored, files are not: let the source send their contents as records, or store them elsewhere.`,
    { code: 'record.file-left-out' },
  ])
}
