// What a run has done, for progress and summary. Counts only; decides nothing.

import type { TrackState } from './segment.ts'
import type { Outcome, RetryCause, Table, Track } from './types.ts'

export interface TableTally {
  /** Points of delivered requests. */
  rows: number
  /** Body bytes of delivered requests. */
  bytes: number
  /** Attempts, retries included. */
  attempts: number
  readonly retries: Record<RetryCause, number>
}

interface Attempt {
  readonly table: Table
  readonly track: Track
  readonly request: { readonly points: number; readonly body: Uint8Array }
}

const nothing = (): TableTally => ({
  rows: 0,
  bytes: 0,
  attempts: 0,
  retries: { throttled: 0, server: 0, network: 0, timeout: 0 },
})

/** Filled by `deliver` while it runs; readable at any time. */
export class Tally {
  /** Records by track: received, written, rejected. */
  tracks: Iterable<TrackState> = []
  readonly #tables = new Map<Table, TableTally>()

  ofTable(table: Table): TableTally {
    let tally = this.#tables.get(table)
    if (!tally) this.#tables.set(table, (tally = nothing()))
    return tally
  }

  attempted(attempt: Attempt, outcome: Outcome): void {
    const tally = this.ofTable(attempt.table)
    tally.attempts++
    if (outcome.status === 'retry') tally.retries[outcome.cause]++
    if (outcome.status !== 'delivered') return
    tally.rows += attempt.request.points
    tally.bytes += attempt.request.body.length
  }
}
