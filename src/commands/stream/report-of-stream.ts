// What the report of `stream` tells of it: its topics, its limits, the files it must not replace.

import { defaultLimits } from '../../config/write/write-load.ts'
import { streamSchema } from '../../config/stream/stream-options.ts'
import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { whereFrom } from '../../kafka/source/dead-letter-policy.ts'
import type { KafkaOrigin } from '../../kafka/source/kafka-origin.ts'
import { placePath } from '../../kafka/source/replay-file.ts'
import type { RunRows } from '../../telemetry/counts.ts'
import { reportLimits } from '../../telemetry/report/report-figures.ts'
import type { ReportAbout } from '../../telemetry/report/report.ts'

interface StreamReportParts {
  readonly permits: { readonly limit: number }
  readonly rows: () => RunRows
}

/** @param scopeOf the topic a checkpoint is of; undefined: of all that is read */
export function reportOfStream<C>(
  config: StreamConfig,
  parts: StreamReportParts,
  scopeOf: (checkpoint: C) => string | undefined,
): ReportAbout<C, KafkaOrigin> {
  const { file } = config.rejects
  const files =
    file === undefined
      ? []
      : [
          { file, what: 'that of dead_letters.file' },
          { file: placePath(file), what: 'where it is kept how far dead letters are replayed' },
        ]
  const { commitEveryMs, stallDeadlineMs } = config
  const { commit_every_seconds, stall_deadline_seconds } = streamSchema.shape
  return {
    host: new URL(config.service.baseUrl).host,
    limits: reportLimits(config.limits, defaultLimits(), {
      commit_every_seconds: [commitEveryMs, commit_every_seconds.parse(undefined) * 1000],
      stall_deadline_seconds: [stallDeadlineMs, stall_deadline_seconds.parse(undefined) * 1000],
    }),
    permits: parts.permits,
    files,
    scopeOf,
    nameOf: (rejected) => whereFrom(rejected).topic,
    rows: parts.rows,
  }
}
