// What the report of `write` says: its streams, its limits, the files it must not replace.

import type { WriteConfig } from '../config/write-config.ts'
import { unsettled } from '../core/ledger.ts'
import type { TrackState } from '../core/ledger.ts'
import type { Tally } from '../core/tally.ts'
import type { Track } from '../core/types.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import type { ReportRow, ReportTable } from '../telemetry/report/report-data.ts'
import { reportLimits } from '../telemetry/report/report-figures.ts'
import type { ReservedPath } from '../telemetry/report/report-file.ts'
import type { ReportAbout } from '../telemetry/report/report.ts'

/** What a report says of a source. C: its checkpoints. */
interface ReportedSource<C> {
  readonly mappings: readonly StreamMapping[]
  readonly files: readonly ReservedPath[]
  /** A track, `all` of them or `none`. */
  scopeOf(checkpoint: C): unknown
}

export function reportOfWrite<C, O>(
  config: WriteConfig,
  source: ReportedSource<C>,
  { tally, permits }: { readonly tally: Tally; readonly permits: { readonly limit: number } },
): ReportAbout<C, O> {
  return {
    host: new URL(config.service.baseUrl).host,
    limits: reportLimits(config.limits),
    permits,
    files: source.files,
    scopeOf: (checkpoint) => source.scopeOf(checkpoint),
    nameOf: ({ track }) => nameOf(track),
    table: (checkpoints) => tableOf(source.mappings, tally, checkpoints),
  }
}

function tableOf(
  mappings: readonly StreamMapping[],
  tally: Tally,
  checkpoints: ReadonlyMap<unknown, number>,
): ReportTable {
  const states = new Map([...tally.tracks].map((state) => [state.track, state]))
  const rows = mappings.map(({ track, table }) =>
    rowOf(track, table.name, states.get(track), tally.ofTable(table).rows, checkpoints.get(track) ?? 0),
  )
  const sum = (of: (row: ReportRow) => number | undefined): number => rows.reduce((total, row) => total + of(row)!, 0)
  const total = {
    name: 'Total',
    table: undefined,
    records: sum(({ records }) => records),
    delivered: sum(({ delivered }) => delivered),
    superseded: sum(({ superseded }) => superseded),
    rejected: sum(({ rejected }) => rejected),
    ignored: undefined,
    unsettled: sum(({ unsettled }) => unsettled),
    // those of all streams at once, and of streams that the catalog does not name, are no stream's
    checkpoints: sum(({ checkpoints }) => checkpoints) + (checkpoints.get('all') ?? 0) + (checkpoints.get('none') ?? 0),
  }
  return { rows, total }
}

function rowOf(
  track: Track,
  table: string,
  state: TrackState | undefined,
  delivered: number,
  checkpoints: number,
): ReportRow {
  return {
    name: nameOf(track),
    table,
    records: state?.received ?? 0,
    delivered,
    // a stream's table is its own, and its records are settled as they are delivered
    superseded: Math.max(0, (state?.written ?? 0) - delivered),
    rejected: state?.rejected ?? 0,
    ignored: undefined,
    unsettled: unsettled(state),
    checkpoints,
  }
}

function nameOf({ namespace, name }: Track): string {
  return namespace === undefined ? name : `${namespace}.${name}`
}
