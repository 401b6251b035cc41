// The facts of a run of `write`, from the counts of its engine.

import { unsettled } from '../core/ledger.ts'
import type { TrackState } from '../core/ledger.ts'
import type { Tally } from '../core/tally.ts'
import type { Table, Track } from '../core/types.ts'
import { runRows } from './counts.ts'
import type { RunRow } from './counts.ts'
import { DeliverySource } from './run-facts.ts'
import type { RunFacts, ServiceFacts } from './run-facts.ts'

/** A stream of the catalog, and its table. */
export interface CountedStream {
  readonly track: Track
  readonly table: Table
  /** Counts records that replaced one with a higher cursor. */
  readonly backward?: { readonly count: number } | undefined
}

export interface WriteFactsParts {
  readonly streams: readonly CountedStream[]
  readonly tally: Tally
  readonly permits: { readonly limit: number }
  readonly transport: ServiceFacts
  /** How much of the input file has been read; absent, or returns undefined: the input is no file. */
  readonly input?: (() => RunFacts['input']) | undefined
}

export class WriteFactsSource {
  readonly #parts: WriteFactsParts
  readonly #startedAt: number
  readonly #delivery: DeliverySource

  /** @param now when the run began */
  constructor(parts: WriteFactsParts, now: number) {
    this.#parts = parts
    this.#startedAt = now
    this.#delivery = new DeliverySource(parts, now)
  }

  take(at: number): RunFacts {
    const { streams, tally, input } = this.#parts
    const states = new Map([...tally.tracks].map((state) => [state.track, state]))
    const tables = streams.map(({ table }) => ({ table: table.name, ...tally.ofTable(table) }))
    return {
      ...runRows(
        streams.map((stream) => rowOf(stream, states.get(stream.track))),
        tables,
      ),
      at,
      startedAt: this.#startedAt,
      noun: 'stream',
      delivery: this.#delivery.take(at),
      input: input?.(),
      stopping: tally.ending?.stopsAt !== undefined,
      failed: undefined,
    }
  }
}

function rowOf({ track, table, backward }: CountedStream, state: TrackState | undefined): RunRow {
  const { received: records = 0, written = 0, rejected = 0 } = state ?? {}
  return {
    name: streamName(track),
    table: table.name,
    scope: track,
    counts: { records, written, rejected, unsettled: unsettled(state), backward: backward?.count },
  }
}

export function streamName({ namespace, name }: Track): string {
  return namespace === undefined ? name : `${namespace}.${name}`
}
