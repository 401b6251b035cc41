// What a run report tells, as one object: what is recorded while a run goes on, and what its page shows. Types only; counts,
// words of ours and names, never a record's data.

import type { ErrorKind } from '../../core/errors.ts'
import type { RetryCause } from '../../core/types.ts'

/** A stretch of a run. Sums over it; times are milliseconds since the run began. */
export interface ReportSample {
  readonly from: number
  readonly to: number
  /** Delivered. */
  readonly points: number
  readonly requests: number
  /** Of the bodies of delivered requests. */
  readonly bytes: number
  /** Retries included. */
  readonly attempts: number
  readonly retries: Readonly<Record<RetryCause, number>>
  /** Milliseconds of attempts that were answered or timed out; undefined: there was none. */
  readonly latency: ReportLatency | undefined
  /** Mean over its time. */
  readonly inFlight: number
  readonly permits: number
  /** Of its time, how long the service had asked for no request. */
  readonly pausedMs: number
}

export interface ReportLatency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly most: number
}

/** Rejected records of one place, for one reason. */
export interface ReportReject {
  /** The stream or topic. */
  readonly name: string
  readonly table: string | undefined
  readonly by: 'the connector' | 'the service'
  readonly reason: string
  readonly records: number
}

/** What a run waited for once nothing more was read: milliseconds, each moment in one of them. */
export interface ReportEndWaits {
  readonly answers: number
  readonly pause: number
  readonly retries: number
  readonly guard: number
  readonly rest: number
}

/** What a recorder knows of a run. */
export interface ReportRecord {
  /** In order, without a gap; few however long the run is. */
  readonly samples: readonly ReportSample[]
  readonly latency: ReportLatency | undefined
  readonly rejects: readonly ReportReject[]
  /** How often the service asked for a pause, and for how long in all. */
  readonly pauses: { readonly count: number; readonly ms: number }
  /** When reading ended, in milliseconds since the run began; undefined: it has not. */
  readonly readUntil: number | undefined
  readonly endWaits: ReportEndWaits
}

/** A stream or topic, or the total of them; undefined: not known, or told elsewhere. */
export interface ReportRow {
  readonly name: string
  readonly table: string | undefined
  readonly records: number
  /** Points the service has acknowledged. */
  readonly delivered: number | undefined
  readonly superseded: number | undefined
  readonly rejected: number | undefined
  readonly ignored: number | undefined
  /** Offsets of a topic between what is settled and its end, of the partitions that were assigned when the page was written. */
  readonly lag?: bigint | undefined
  /** Neither settled nor given up when the page was written. */
  readonly unsettled: number | undefined
  /** Committed. */
  readonly checkpoints: number | undefined
}

export interface ReportTable {
  readonly rows: readonly ReportRow[]
  readonly total: ReportRow
}

export type ReportEnd =
  | { readonly how: 'running' | 'stopping' | 'done' }
  | { readonly how: 'stopped'; readonly message: string }
  | { readonly how: 'failed'; readonly kind: ErrorKind; readonly message: string }

export interface ReportData {
  /** As on the command line. */
  readonly command: string
  /** What `table` has a row for. */
  readonly noun: 'stream' | 'topic'
  readonly version: string
  /** Of the service; undefined: the run ended before it was known. */
  readonly host: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly writtenAt: number
  /** How long it went on until then; of the clock that samples are told by. */
  readonly elapsedMs: number
  readonly ended: ReportEnd
  /** Nothing was delivered before these were there. */
  readonly record: ReportRecord | undefined
  readonly table: ReportTable | undefined
  /** Options and their values, in words. */
  readonly limits: readonly (readonly [option: string, value: string])[]
}
