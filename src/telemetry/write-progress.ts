// How a run of `write` comes along, and what its end waits for, in lines for its log: it has no page of metrics. Counts only,
// never data.

import type { Tally } from '../core/tally.ts'
import type { Table } from '../core/types.ts'
import { counted, seconds, thousands } from '../text/figures.ts'
import { deliveryWaits } from './run-words.ts'
import type { ServiceWaits } from './run-words.ts'

export interface WriteProgressParts {
  readonly tally: Tally
  /** Of the catalog's streams. */
  readonly tables: readonly Table[]
  readonly permits: { readonly limit: number }
  /** Times of the clock that `line` is told; undefined: none. */
  readonly service: ServiceWaits
}

/** Tells what has changed from line to line. */
export class WriteProgress {
  readonly #parts: WriteProgressParts
  #at: number
  #records = 0
  #settled = 0
  #settledAt: number

  /** @param now when the run began */
  constructor(parts: WriteProgressParts, now: number) {
    this.#parts = parts
    this.#at = this.#settledAt = now
  }

  /** @param now milliseconds */
  line(now: number): string {
    const { tally, tables, permits, service } = this.#parts
    const {
      outstanding = 0,
      settled = 0,
      inFlight = 0,
      checkpoints = 0,
      retrying = 0,
      guarded = 0,
    } = tally.engine ?? {}
    const tracks = [...tally.tracks]
    const records = tracks.reduce((sum, { received }) => sum + received, 0)
    const rejected = tracks.reduce((sum, { rejected }) => sum + rejected, 0)
    const rows = tables.reduce((sum, table) => sum + tally.ofTable(table).rows, 0)
    const perSecond = Math.round(((records - this.#records) * 1000) / Math.max(1, now - this.#at))
    if (settled > this.#settled || outstanding === 0) this.#settledAt = now
    this.#at = now
    this.#records = records
    this.#settled = settled
    const { failingSince, failingCause, throttledSince, pausedUntil } = service
    return [
      `Under way: ${counted(records, 'record')} (${thousands(perSecond)}/s), ${counted(rows, 'row')} sent, ${thousands(rejected)} rejected, ${thousands(outstanding)} unsettled`,
      `${thousands(inFlight)} of ${counted(permits.limit, 'request')} in flight`,
      ...(checkpoints > 0 ? [`${counted(checkpoints, 'checkpoint')} held`] : []),
      ...deliveryWaits(
        {
          outstanding,
          inFlight,
          failingSince,
          failingCause,
          throttledSince,
          pausedUntil,
          retrying,
          guarded,
          ending: tally.ending,
        },
        now,
      ),
      ...(this.#settledAt < now ? [`nothing settled for ${seconds(now - this.#settledAt)}`] : []),
    ].join('; ')
  }

  /** Why a run that reads no more has not ended; undefined: it still reads.
   *  @param now milliseconds */
  ending(now: number): string | undefined {
    const { tally, permits, service } = this.#parts
    const { engine, ending } = tally
    if (engine === undefined || ending?.isReadingOver !== true) return undefined
    const { outstanding, inFlight, retrying, guarded } = engine
    const { failingSince, failingCause, throttledSince, pausedUntil } = service
    const head = ending.stopsAt === undefined ? 'Nothing more is read' : 'Stopping, nothing more is sent'
    return [
      `${head}: ${counted(outstanding, 'record')} unsettled, ${thousands(inFlight)} of ${counted(permits.limit, 'request')} in flight`,
      ...deliveryWaits(
        { outstanding, inFlight, failingSince, failingCause, throttledSince, pausedUntil, retrying, guarded, ending },
        now,
      ),
      ...(ending.isCommitting ? ['a STATE waits until standard output is read'] : []),
    ].join('; ')
  }
}
