// What the report of `stream` tells of it: its topics, its limits, the files it must not replace.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Tally } from '../../core/tally.ts'
import { whereFrom } from '../../kafka/source/dead-letter-policy.ts'
import type { KafkaOrigin } from '../../kafka/source/kafka-origin.ts'
import { placePath } from '../../kafka/source/replay-file.ts'
import type { MappedTopic, StreamTopics } from '../../kafka/source/stream-topics.ts'
import type { ReportRow, ReportTable } from '../../telemetry/report/report-data.ts'
import { reportLimits } from '../../telemetry/report/report-figures.ts'
import type { ReportAbout } from '../../telemetry/report/report.ts'

interface StreamReportParts {
  readonly topics: Pick<StreamTopics, 'all'>
  readonly tally: Tally
  readonly permits: { readonly limit: number }
  /** How far behind a topic is, or all are; undefined: not known. Absent: topics are not what is read. */
  readonly lag?: ((topic: string | undefined) => bigint | undefined) | undefined
  /** What became of dead letters, where these are what is read. */
  readonly replayed?: { readonly written: number; readonly rejected: number } | undefined
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
  return {
    host: new URL(config.service.baseUrl).host,
    limits: reportLimits(config.limits, {
      commit_every_seconds: commitEveryMs,
      stall_deadline_seconds: stallDeadlineMs,
    }),
    permits: parts.permits,
    files,
    scopeOf,
    nameOf: (rejected) => whereFrom(rejected).topic,
    table: (checkpoints) => tableOf(parts, checkpoints),
  }
}

function tableOf(
  { topics, tally, lag, replayed }: StreamReportParts,
  checkpoints: ReadonlyMap<unknown, number>,
): ReportTable {
  const sharing = Map.groupBy(topics.all, ({ mapper }) => mapper.table)
  const rows = topics.all.map((topic): ReportRow => {
    const together = sharing.get(topic.mapper.table)!
    // told once where several topics have one table
    const delivered = together[0] === topic ? tally.ofTable(topic.mapper.table).rows : undefined
    const row = rowOf(topic, delivered)
    // what became of dead letters is told of all together
    if (replayed) return { ...row, superseded: undefined, rejected: undefined, checkpoints: undefined }
    return {
      ...row,
      superseded: together.length === 1 ? row.superseded : undefined,
      checkpoints: checkpoints.get(topic.name) ?? 0,
      lag: lag?.(topic.name),
    }
  })
  const sum = (of: (row: ReportRow) => number | undefined): number =>
    rows.reduce((total, row) => total + (of(row) ?? 0), 0)
  const delivered = sum((row) => row.delivered)
  const written = replayed?.written ?? topics.all.reduce((total, { counts }) => total + counts.written, 0)
  const total = {
    name: 'Total',
    table: undefined,
    records: sum(({ records }) => records),
    delivered,
    superseded: Math.max(0, written - delivered),
    rejected: replayed?.rejected ?? sum(({ rejected }) => rejected),
    ignored: sum(({ ignored }) => ignored),
    unsettled: tally.engine?.outstanding ?? 0,
    lag: replayed ? undefined : lag?.(undefined),
    checkpoints: [...checkpoints.values()].reduce((total, count) => total + count, 0),
  }
  return { rows, total }
}

function rowOf({ name, mapper, counts }: MappedTopic, delivered: number | undefined): ReportRow {
  return {
    name,
    table: mapper.table.name,
    records: counts.records,
    delivered,
    superseded: delivered === undefined ? undefined : Math.max(0, counts.written - delivered),
    rejected: counts.rejected,
    ignored: [...mapper.ignored.values()].reduce((sum, count) => sum + count, 0),
    unsettled: undefined,
    checkpoints: undefined,
  }
}
