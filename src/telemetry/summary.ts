// What a run did, in lines for a log: one a stream, then the total. Knows counts only, never data.

import { unsettled } from '../core/ledger.ts'
import type { TrackState } from '../core/ledger.ts'
import type { TableTally, Tally } from '../core/tally.ts'
import type { Table, Track } from '../core/types.ts'
import { counted, thousands } from '../text/figures.ts'

interface Row {
  readonly label: string
  readonly records: number
  readonly rows: number
  readonly rejected: number
  readonly unsettled: number
  readonly retries: number
  readonly bytes: number
  readonly backward: number
}

export interface SummarisedStream {
  readonly track: Track
  readonly table: Table
  /** Counts records that replaced one with a higher cursor. */
  readonly backward?: { readonly count: number } | undefined
}

/** @param streams of the catalog: where each one goes
 *  @param rejectsPlace where rejected records are kept, for people; undefined: they are not
 *  @returns one line a stream that had records (or all, when none had), a total, and where rejected records are */
export function summarise(
  streams: readonly SummarisedStream[],
  tally: Tally,
  seconds: number,
  rejectsPlace?: string,
): string[] {
  const states = new Map([...tally.tracks].map((state) => [state.track, state]))
  const rows = streams.map((stream) => rowOf(stream, states.get(stream.track), tally.ofTable(stream.table)))
  const active = rows.filter((row) => row.records > 0)
  const total = rows.reduce(added, {
    label: 'Total',
    records: 0,
    rows: 0,
    rejected: 0,
    unsettled: 0,
    retries: 0,
    bytes: 0,
    backward: 0,
  })
  const rate = seconds > 0 ? Math.round(total.records / seconds) : total.records
  const rejects =
    total.rejected > 0 && rejectsPlace !== undefined
      ? [`Rejected: ${thousands(total.rejected)} (older versions of their rows included), kept in ${rejectsPlace}`]
      : []
  return [...active.map(line), `${line(total)}, ${seconds.toFixed(1)} s, ${counted(rate, 'record')}/s`, ...rejects]
}

function rowOf({ track, backward }: SummarisedStream, state: TrackState | undefined, table: TableTally): Row {
  const { rows, bytes, retries } = table
  return {
    label: track.namespace === undefined ? track.name : `${track.namespace}.${track.name}`,
    records: state?.received ?? 0,
    rows,
    rejected: state?.rejected ?? 0,
    unsettled: unsettled(state),
    retries: retries.network + retries.server + retries.throttled + retries.timeout,
    bytes,
    backward: backward?.count ?? 0,
  }
}

function added(sum: Row, row: Row): Row {
  return {
    label: sum.label,
    records: sum.records + row.records,
    rows: sum.rows + row.rows,
    rejected: sum.rejected + row.rejected,
    unsettled: sum.unsettled + row.unsettled,
    retries: sum.retries + row.retries,
    bytes: sum.bytes + row.bytes,
    backward: sum.backward + row.backward,
  }
}

function line(row: Row): string {
  const undelivered = row.unsettled > 0 ? `, ${thousands(row.unsettled)} not delivered` : ''
  const backward = row.backward > 0 ? `, ${thousands(row.backward)} replaced one with a higher cursor` : ''
  return `${row.label}: ${counted(row.records, 'record')}, ${counted(row.rows, 'row')} sent, ${thousands(row.rejected)} rejected, ${counted(row.retries, 'retry', 'retries')}, ${size(row.bytes)}${backward}${undelivered}`
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
