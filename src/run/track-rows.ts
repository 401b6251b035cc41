// Streams as rows of a run's facts, for an input whose streams are its own from beginning to end: each is one track of the engine. (A
// partition of Kafka may go to another process and come back, and is another track then.)

import { unsettled, type TrackState } from '../core/segment.ts'
import type { Tally } from '../core/tally.ts'
import type { Table, Track } from '../core/types.ts'
import type { CountedRow, InputRows } from './open-input.ts'
import type { RowFacts } from './run-facts.ts'

export interface CountedStream {
  readonly track: Track
  readonly table: Table
  /** Counts records that replaced one with a higher cursor. `undefined` when the stream has no cursor. */
  readonly backward?: { readonly count: number } | undefined
  /** Returns the fields of its records. Absent when records are not sampled. */
  readonly fields?: RowFacts['fields']
}

export class TrackRows implements InputRows {
  readonly noun = 'stream'
  /** Rows in the order of the streams. */
  readonly all: readonly CountedRow[]
  readonly #rowsByTrack: ReadonlyMap<unknown, CountedRow>
  /** The newest state of each track of which something was counted. */
  readonly #states = new Map<Track, TrackState>()
  readonly #tally: Pick<Tally, 'takeTracks'>

  constructor(streams: readonly CountedStream[], tally: Pick<Tally, 'takeTracks'>) {
    this.#tally = tally
    this.all = streams.map((stream) => {
      const { track, table } = stream
      return { name: streamName(track), table, scope: track, facts: () => factsOf(stream, this.#states.get(track)) }
    })
    this.#rowsByTrack = new Map(this.all.map((row) => [row.scope, row]))
  }

  *takeChanged(): Generator<CountedRow> {
    for (const state of this.#tally.takeTracks()) {
      const row = this.#rowsByTrack.get(state.track)
      if (row === undefined) continue
      this.#states.set(state.track, state)
      yield row
    }
  }
}

function factsOf(
  { backward, fields }: CountedStream,
  state: TrackState | undefined,
): Pick<RowFacts, 'counts' | 'fields'> {
  const { received: records, written, rejected } = state ?? { received: 0, written: 0, rejected: 0 }
  return { counts: { records, written, rejected, unsettled: unsettled(state), backward: backward?.count }, fields }
}

export function streamName({ namespace, name }: Track): string {
  return namespace === undefined ? name : `${namespace}.${name}`
}
