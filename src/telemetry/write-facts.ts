// The facts of a run of `write`, from the counts of its engine.

import { unsettled } from '../core/ledger.ts'
import type { TrackState } from '../core/ledger.ts'
import type { TableTally, Tally } from '../core/tally.ts'
import type { Table, Track } from '../core/types.ts'
import { RunSums, withTable } from './counts.ts'
import type { RunCounts, RunRow } from './counts.ts'
import { DeliverySource } from './run-facts.ts'
import type { PermitsFacts, RunFacts, ServiceFacts } from './run-facts.ts'

/** A stream of the catalog, and its table, which no other stream has. */
export interface CountedStream {
  readonly track: Track
  readonly table: Table
  /** Counts records that replaced one with a higher cursor. */
  readonly backward?: { readonly count: number } | undefined
}

export interface WriteFactsParts {
  readonly streams: readonly CountedStream[]
  readonly tally: Tally
  readonly permits: PermitsFacts
  readonly transport: ServiceFacts
  /** How much of the input file has been read; absent, or returns undefined: the input is no file. */
  readonly input?: (() => RunFacts['input']) | undefined
}

/** What is known of a row so far. */
interface Counted {
  readonly index: number
  state: TrackState | undefined
  tally: Readonly<TableTally> | undefined
}

/** Makes a row anew only when something of its stream was counted: there may be thousands in which nothing happens. */
export class WriteFactsSource {
  readonly #parts: WriteFactsParts
  readonly #startedAt: number
  readonly #delivery: DeliverySource
  /** Of the last facts, in the catalog's order. Never changed, because whoever got them may have kept them. */
  #rows: readonly RunRow[]
  readonly #sums = new RunSums()
  /** Where the row of a track and of a table stands. */
  readonly #places: ReadonlyMap<Track | Table, number>
  readonly #counted = new Map<number, Counted>()

  /** @param now when the run began */
  constructor(parts: WriteFactsParts, now: number) {
    const { streams } = parts
    this.#parts = parts
    this.#startedAt = now
    this.#delivery = new DeliverySource(parts, now)
    this.#rows = streams.map(quietRow)
    for (const { counts } of this.#rows) this.#sums.add(counts)
    this.#places = new Map<Track | Table, number>(
      streams.flatMap(({ track, table }, index): [Track | Table, number][] => [
        [track, index],
        [table, index],
      ]),
    )
  }

  take(at: number): RunFacts {
    const { tally, input } = this.#parts
    this.#renew()
    return {
      rows: this.#rows,
      total: this.#sums.total(),
      at,
      startedAt: this.#startedAt,
      noun: 'stream',
      delivery: this.#delivery.take(at),
      input: input?.(),
      stopping: tally.ending?.stopsAt !== undefined,
      failed: undefined,
    }
  }

  #renew(): void {
    const { tally, streams } = this.#parts
    const changed = new Set<Counted>()
    const note = (of: Track | Table, what: Partial<Counted>): void => {
      // that of rejected records is no stream's table
      const index = this.#places.get(of)
      if (index === undefined) return
      let counted = this.#counted.get(index)
      if (!counted) this.#counted.set(index, (counted = { index, state: undefined, tally: undefined }))
      changed.add(Object.assign(counted, what))
    }
    for (const state of tally.takeTracks()) note(state.track, { state })
    for (const [table, of] of tally.takeTables()) note(table, { tally: of })
    if (changed.size === 0) return
    const rows = this.#rows.slice()
    for (const { index, state, tally: of } of changed) {
      this.#sums.add(rows[index]!.counts, -1)
      rows[index] = rowOf(streams[index]!, countsOf(state, streams[index]!.backward?.count, of))
      this.#sums.add(rows[index].counts)
    }
    this.#rows = rows
  }
}

function countsOf(
  state: TrackState | undefined,
  backward: number | undefined,
  tally: Readonly<TableTally> | undefined,
): RunCounts {
  const { received: records = 0, written = 0, rejected = 0 } = state ?? {}
  return withTable({ records, written, rejected, unsettled: unsettled(state), backward }, tally)
}

/** The same for all streams of which nothing was counted yet. */
const QUIET = countsOf(undefined, undefined, undefined)
const QUIET_WITH_CURSOR = countsOf(undefined, 0, undefined)

function quietRow(stream: CountedStream): RunRow {
  return rowOf(stream, stream.backward === undefined ? QUIET : QUIET_WITH_CURSOR)
}

function rowOf({ track, table }: CountedStream, counts: RunCounts): RunRow {
  return { name: streamName(track), table: table.name, scope: track, counts }
}

export function streamName({ namespace, name }: Track): string {
  return namespace === undefined ? name : `${namespace}.${name}`
}
