// What a run has done and holds, in numbers, for progress, summary and metrics.

import type { TrackState } from './segment.ts'
import type { Outcome, Request, RetryCause, Table, Track } from './types.ts'

/** Counts of one table, from the start of the run. */
export interface TableTally {
  /** Requests that were delivered, their points (versions of rows), and the bytes of their bodies. */
  requests: number
  rows: number
  bytes: number
  /** Attempts that have ended, and by cause those that failed so that a retry may help. */
  attempts: number
  readonly retries: Record<RetryCause, number>
}

/** The engine at one moment. */
export interface EngineFacts {
  /** Records that are neither settled nor dropped. */
  readonly outstanding: number
  /** Records settled since the start. */
  readonly settled: number
  /** Bytes of memory that points and checkpoints take, including what is in flight. */
  readonly bufferedBytes: number
  /** Checkpoints that wait for what is before them. */
  readonly heldCheckpoints: number
  /** Attempts under way. */
  readonly inFlight: number
  /** Batches that wait for their next attempt. */
  readonly retrying: number
  /** Settled batches of which an attempt without an answer may still arrive, so that newer values wait (the late-write guard). */
  readonly guarded: number
}

/** The reasons why a run does not end yet. Times are milliseconds of the engine's clock. */
export interface EndingFacts {
  /** Whether no more input is taken. */
  readonly isReadingOver: boolean
  /** Until when attempts in flight may go on. `undefined` while new ones are still made. */
  readonly stopsAt: number | undefined
  /** Whether a checkpoint is being committed. */
  readonly isCommitting: boolean
  /** Rejects that are not durable yet. */
  readonly rejecting: number
  /** When the next batch is to be sent again. `undefined` when none is. */
  readonly retryAt: number | undefined
  /** Keys that the late-write guard holds, so that newer versions of their rows wait. */
  readonly guardedKeys: number
  /** Until when it holds the last of them. `undefined` when it holds none. */
  readonly guardedUntil: number | undefined
}

export const emptyTally = (): TableTally => ({
  requests: 0,
  rows: 0,
  bytes: 0,
  attempts: 0,
  retries: { throttled: 0, server: 0, network: 0, timeout: 0 },
})

const IDLE: EngineFacts = {
  outstanding: 0,
  settled: 0,
  bufferedBytes: 0,
  heldCheckpoints: 0,
  inFlight: 0,
  retrying: 0,
  guarded: 0,
}

/** The numbers of a run so far, readable at any time. As a run begins, its engine (deliver.ts) replaces the four functions that are fields
 *  by its own. It counts each attempt by `attempted`. */
export class Tally {
  /** Returns the tracks whose counts (received, written, rejected) may have changed since the last call. */
  takeTracks: () => readonly TrackState[] = () => []
  /** Returns how many records of a track were received so far. */
  receivedOf: (track: Track) => number = () => 0
  engine: () => EngineFacts = () => IDLE
  /** Returns why the run does not end yet. `undefined` before the engine begins. */
  ending: () => EndingFacts | undefined = () => undefined
  readonly #tables = new Map<Table, TableTally>()
  /** Tables whose counts may have changed since they were last taken. */
  readonly #changed = new Set<Table>()

  /** Returns the counts of a table, for the caller to add to. */
  ofTable(table: Table): TableTally {
    let tally = this.#tables.get(table)
    if (!tally) this.#tables.set(table, (tally = emptyTally()))
    this.#changed.add(table)
    return tally
  }

  /** Returns the tables whose counts may have changed since the last call, with their counts. */
  takeTables(): readonly (readonly [Table, Readonly<TableTally>])[] {
    const changed = Array.from(this.#changed, (table) => [table, this.#tables.get(table)!] as const)
    this.#changed.clear()
    return changed
  }

  /** Counts an attempt that has ended. */
  attempted({ table, request }: { table: Table; request: Pick<Request, 'points' | 'body'> }, outcome: Outcome): void {
    const tally = this.ofTable(table)
    tally.attempts++
    if (outcome.status === 'retry') tally.retries[outcome.cause]++
    if (outcome.status !== 'delivered') return
    tally.requests++
    tally.rows += request.points
    tally.bytes += request.body.length
  }
}
