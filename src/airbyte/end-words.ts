// What is said about an input whose reading is over: warnings, and the one error (`tooFewRecords`). Each function tells of one thing that
// would not be noticed otherwise, and returns nothing where it did not happen.

import type { StreamOverride } from '../config/write/write-load.ts'
import { ConnectorError } from '../core/errors.ts'
import type { Tally } from '../core/tally.ts'
import type { Track } from '../core/types.ts'
import { label, type StreamMapping } from '../mapping/stream-mapping.ts'
import { overrideOf } from '../mapping/table-places.ts'
import type { EndWords } from '../run/open-input.ts'
import { counted, thousands } from '../text/figures.ts'
import type { MappedStream } from './find-stream.ts'
import type { MessageReader } from './reader.ts'

/** Most streams named in one message, because platforms may cut it. */
const MOST_NAMED = 20
const STORED = 'All that came was stored, and its STATEs were printed. '
const REMEDY = 'Find out why the source sent so few, or correct min_records in streams, and run again.'

/** A warning and no fault, because a source may have nothing to say; but a pipe whose writer failed is empty, too. */
export const EMPTY_INPUT: EndWords = [
  'warn',
  'Standard input was empty: no message came, so nothing was stored. Is a source at the other end of the pipe?',
]

/** Warns of streams whose source did not say that they are complete. No more than a warning: the end of a run destroys nothing
 *  (decisions.md#an-unfinished-stream-is-a-warning).
 *  @param hasGenerations whether the catalog has generations: then each stream should have a status, and be COMPLETE */
export function unfinishedStreams(streams: readonly MappedStream[], hasGenerations: boolean): EndWords[] {
  return streams
    .filter(({ status }) => (status === undefined ? hasGenerations : status !== 'COMPLETE'))
    .map(({ mapping, status }) => [
      'warn',
      `Stream ${label(mapping.track)} ended ${status === 'INCOMPLETE' ? status : 'without COMPLETE'}: what arrived was written; the source may not have finished.`,
    ])
}

/** Warns of messages of unknown types: a `record` in small letters would be one (decisions.md#a-line-that-cannot-be-read-stops-the-run). */
export function unknownTypes({ count, line }: MessageReader<unknown>['unknown']): EndWords[] {
  if (count === 0) return []
  const what =
    count === 1 ? 'Ignored 1 message of an unknown type' : `Ignored ${thousands(count)} messages of unknown types`
  const message = `${what}, the first in input line ${line}. Messages with records and states have the types RECORD and STATE, in capital letters.`
  return [['warn', message]]
}

/** Warns of files that records name (`file_reference`): their rows are stored, the files are not.
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

/** Finds streams that brought fewer records than their entry of `streams` expects (expect.min_records). Otherwise a run looks good whose
 *  source lost its access, or filtered wrongly.
 *  @param isDry whether nothing was stored
 *  @returns a ConnectorError (config), because the same run again would end no better; `undefined` when nothing is missing */
export function tooFewRecords(
  tracks: readonly Track[],
  overrides: readonly StreamOverride[],
  { receivedOf }: Pick<Tally, 'receivedOf'>,
  isDry: boolean,
): ConnectorError | undefined {
  const few = tracks.flatMap((track) => {
    const least = overrideOf(track, overrides)?.expect?.minRecords ?? 0
    const received = receivedOf(track)
    if (received >= least) return []
    const words = `${counted(received, 'record')} of stream ${label(track)}, where expect.min_records is ${thousands(least)}`
    return [{ track, words }]
  })
  if (few.length === 0) return undefined
  const named = few.slice(0, MOST_NAMED).map(({ words }) => words)
  const others = few.length > MOST_NAMED ? `; and ${few.length - MOST_NAMED} more streams` : ''
  const message = `Too few records came: ${named.join('; ')}${others}. ${isDry ? '' : STORED}${REMEDY}`
  const place = few.length === 1 ? { track: few[0]!.track } : {}
  return new ConnectorError('config', 'stream.too-few-records', message, place)
}
