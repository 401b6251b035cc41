// Streams that brought fewer records than their entry of `streams` expects: what a source sends that lost its access, or a filter that
// went wrong, looks like a good run otherwise.

import type { StreamOverride } from '../config/write/write-load.ts'
import { ConnectorError } from '../core/errors.ts'
import type { Tally } from '../core/tally.ts'
import type { Track } from '../core/types.ts'
import { label } from '../mapping/stream-mapping.ts'
import { overrideOf } from '../mapping/table-places.ts'
import { counted, thousands } from '../text/figures.ts'

/** Streams named in one message, because platforms may cut it. */
const NAMED = 20
const STORED = 'All that came was stored, and its STATEs were printed. '
const REMEDY = 'Find out why the source sent so few, or correct min_records in streams, and run again.'

/** To be asked once everything is read.
 *  @param isDry whether nothing was stored
 *  @returns a ConnectorError (config), because the same run again would end no better; `undefined` when nothing is
 *  missing */
export function tooFewRecords(
  tracks: readonly Track[],
  overrides: readonly StreamOverride[],
  { receivedOf }: Pick<Tally, 'receivedOf'>,
  isDry = false,
): ConnectorError | undefined {
  const few = tracks.flatMap((track) => {
    const least = overrideOf(track, overrides)?.expect?.minRecords ?? 0
    const received = receivedOf(track)
    return received < least ? [{ track, words: wordsOf(track, received, least) }] : []
  })
  if (few.length === 0) return undefined
  const named = few.slice(0, NAMED).map(({ words }) => words)
  const rest = few.length > NAMED ? `; and ${few.length - NAMED} more streams` : ''
  const message = `Too few records came: ${named.join('; ')}${rest}. ${isDry ? '' : STORED}${REMEDY}`
  return new ConnectorError(
    'config',
    'stream.too-few-records',
    message,
    few.length === 1 ? { track: few[0]!.track } : {},
  )
}

function wordsOf(track: Track, received: number, least: number): string {
  return `${counted(received, 'record')} of stream ${label(track)}, where expect.min_records is ${thousands(least)}`
}
