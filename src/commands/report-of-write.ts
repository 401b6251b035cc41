// What the report of `write` says: its streams, its limits, the files it must not replace.

import { defaultLimits } from '../config/load.ts'
import type { WriteConfig } from '../config/write-config.ts'
import type { RunRows } from '../telemetry/counts.ts'
import { reportLimits } from '../telemetry/report/report-figures.ts'
import type { ReservedPath } from '../telemetry/report/report-file.ts'
import type { ReportAbout } from '../telemetry/report/report.ts'
import { nameOf } from '../telemetry/write-facts.ts'

/** What a report says of a source. C: its checkpoints. */
interface ReportedSource<C> {
  readonly files: readonly ReservedPath[]
  /** A track, `all` of them or `none`. */
  scopeOf(checkpoint: C): unknown
}

export function reportOfWrite<C, O>(
  config: WriteConfig,
  source: ReportedSource<C>,
  permits: { readonly limit: number },
  rows: () => RunRows,
): ReportAbout<C, O> {
  return {
    host: new URL(config.service.baseUrl).host,
    limits: reportLimits(config.limits, defaultLimits()),
    permits,
    files: source.files,
    scopeOf: (checkpoint) => source.scopeOf(checkpoint),
    nameOf: ({ track }) => nameOf(track),
    rows,
  }
}
