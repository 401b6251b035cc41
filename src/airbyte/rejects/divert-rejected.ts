// The policy `divert`: a rejected record is kept, the first one of its stream is told, and the run goes on
// (decisions.md#one-policy-for-every-rejected-record).
// Where records are kept is the sink's.

import type { Rejected, Rejects, Track } from '../../core/types.ts'
import type { Rejection } from '../../mapping/rejected-points.ts'
import type { Say } from '../../process/io.ts'
import { reasonOf, whichRecord } from '../../rejects/rejected-words.ts'
import type { Telling } from '../../rejects/rejected-words.ts'
import { lineNumber } from '../origin.ts'
import type { Origin } from '../origin.ts'
import type { RejectSink } from './reject-sink.ts'

export interface Diverting extends Telling {
  readonly say: Say
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/** Origins must be whole lines, but for those of the sink's own points. */
export function divertTo(sink: RejectSink, diverting: Diverting): Rejects<Origin> {
  const told = new Set<Track>()
  return {
    overlaps: true,
    placeOf: lineNumber,
    async put(rejected) {
      const facts = factsOf(rejected, diverting)
      const { origin, track } = rejected
      const items = await sink.keep(rejected, facts, typeof origin === 'number' ? '' : origin.text)
      if (!told.has(track)) {
        told.add(track)
        const what = `A record ${whichRecord(rejected, lineNumber(rejected.origin), diverting)} cannot be stored: ${facts.reason}.`
        diverting.say('WARN', `${what} It goes to ${sink.place}, as do further ones of its stream.`).catch(() => {})
      }
      return items
    },
  }
}

function factsOf(rejected: Rejected<Origin>, diverting: Diverting): Rejection {
  const { track, table, superseded, supersededAt, origin } = rejected
  return {
    stream: track.name,
    namespace: track.namespace,
    table: table?.name,
    reason: reasonOf(rejected, diverting),
    superseded,
    supersededAt: supersededAt.map((place) => lineNumber(place.origin)),
    line: lineNumber(origin),
    rejectedAt: new Date(diverting.wallClock()).toISOString(),
  }
}
