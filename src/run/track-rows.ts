// Streams as rows of a run's facts: of an input that never gives a stream away, so that each is a track of the engine from the
// beginning to the end.

import { unsettled } from '../core/segment.ts'
import type { TrackState } from '../core/segment.ts'
import type { Tally } from '../core/tally.ts'
import type { Table, Track } from '../core/types.ts'
import type { CountedRow, InputRows } from './open-input.ts'
import type { RowFacts } from './run-facts.ts'

export interface CountedStream {
  readonly track: Track
  readonly table: Table
  /** Counts records that replaced one with a higher cursor. `undefined` when the stream has no cursor. */
  readonly backward?: { readonly count: number } | undefined
  readonly fields?: RowFacts['fields']
}

export class TrackRows implements InputRows {
  readonly noun = 'stream'
  /** Rows in the order of the streams. */
  readonly all: readonly CountedRow[]
  readonly #byTrack: ReadonlyMap<unknown, TrackRow>
  readonly #tally: Pick<Tally, 'takeTracks'>

  constructor(streams: readonly CountedStream[], tally: Pick<Tally, 'takeTracks'>) {
    const rows = streams.map((stream) => new TrackRow(stream))
    this.all = rows
    this.#byTrack = new Map(rows.map((row) => [row.scope, row]))
    this.#tally = tally
  }

  *takeChanged(): Generator<CountedRow> {
    for (const state of this.#tally.takeTracks()) {
      const row = this.#byTrack.get(state.track)
      if (row === undefined) continue
      row.state = state
      yield row
    }
  }
}

const NOTHING = { records: 0, written: 0, rejected: 0, unsettled: 0 }
/** Facts that all streams share of which nothing was counted yet. */
const QUIET = { counts: { ...NOTHING, backward: undefined } }
const QUIET_WITH_CURSOR = { counts: { ...NOTHING, backward: 0 } }

class TrackRow implements CountedRow {
  readonly name: string
  readonly table: Table
  readonly scope: Track
  readonly #stream: CountedStream
  /** `undefined` when nothing was counted of it yet. */
  state: TrackState | undefined

  constructor(stream: CountedStream) {
    this.name = streamName(stream.track)
    this.table = stream.table
    this.scope = stream.track
    this.#stream = stream
  }

  facts(): Pick<RowFacts, 'counts' | 'fields'> {
    const { backward, fields } = this.#stream
    if (this.state === undefined) return backward === undefined ? QUIET : QUIET_WITH_CURSOR
    const { received: records, written, rejected } = this.state
    const counts = { records, written, rejected, unsettled: unsettled(this.state), backward: backward?.count }
    return { counts, fields }
  }
}

export function streamName({ namespace, name }: Track): string {
  return namespace === undefined ? name : `${namespace}.${name}`
}
