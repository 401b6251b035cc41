// Makes the summary of a run as far as it has come: one object for programs (summary-schema.ts says what its members mean), from which the
// report is made too. Texts that are not this program's own are scrubbed. Pure.

import { emptyTally } from '../../core/tally.ts'
import { COUNT_NAMES, type RunCounts } from '../../run/counts.ts'
import type { InputDigests } from '../../run/open-input.ts'
import type { ListedOutage, RejectFacts, RunFacts } from '../../run/run-facts.ts'
import { runFigures } from '../../run/run-figures.ts'
import type { RunRecorder } from '../../run/run-recorder.ts'
import { STATES, WAITS, type Sample } from '../../run/samples.ts'
import { scrubbed } from './summary-scrub.ts'
import type { Summary, SummaryRow } from './summary-schema.ts'

/** Options that differ from their default: name, title, and value with its unit. None is secret. */
export type RunLimits = readonly (readonly [option: string, title: string, value: string])[]

/** The part of a run that is known once the configuration is read and the input is open. */
export interface RunTold {
  /** host[:port] of the service; empty when nothing is sent. */
  readonly host: string
  readonly limits: RunLimits
  readonly facts: RunFacts
  readonly record: ReturnType<RunRecorder<never>['record']>
  readonly digests: Partial<InputDigests> & { readonly config: string | undefined }
}

/** A run as far as it has come: counts, names and words of this program, never a record's data. */
export interface RunSoFar extends Pick<
  Summary,
  'version' | 'commit' | 'command' | 'run_id' | 'started' | 'written' | 'seconds' | 'result' | 'error'
> {
  /** When it started, by the clock of facts. */
  readonly clockStart: number
  /** `undefined` when the run ended before that was known. */
  readonly told: RunTold | undefined
  /** The exit code of a run that was asked to stop. */
  readonly stopCode: number
}

/** The beginning of every summary, by which run-files.ts knows an older one. */
export const SUMMARY_HEAD = '{\n  "program": "destination-analytics-service"'

export function summaryText(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`
}

export function summaryOf(run: RunSoFar, scrub: (text: string) => string): Omit<Summary, 'changes'> {
  const { told, version, commit, command, run_id, started, written, seconds, result } = run
  return {
    program: 'destination-analytics-service',
    schema_version: 1,
    version,
    ...(commit !== undefined && { commit }),
    command,
    run_id,
    service: told?.host ?? null,
    started,
    written,
    ended: result === 'running' || result === 'stopping' ? null : written,
    seconds,
    result,
    exit_code: exitCodeOf(run),
    config_digest: told?.digests.config ?? null,
    catalog_digest: told?.digests.catalog ?? null,
    ...scrubbed(describeRun(run), scrub),
  }
}

function exitCodeOf({ result, stopCode }: RunSoFar): number | null {
  if (result === 'done') return 0
  if (result === 'failed') return 1
  return result === 'stopped' ? stopCode : null
}

function describeRun({ told, started, clockStart, error }: RunSoFar) {
  const { limits = [], facts, record } = told ?? {}
  const outages = facts?.outages ?? []
  const counted = told && rowsAndTotalOf(told)
  const wallTime = (at: number): string => new Date(Date.parse(started) + at - clockStart).toISOString()
  const places = record?.places ?? []
  // the one place of an input without topics is in lines
  const lines = places.find(({ topic }) => topic === undefined)
  return {
    error,
    rows: counted?.rows ?? [],
    total: countsOf(counted?.total ?? {}),
    lag: counted?.lag ?? null,
    rejected: rejectedOf(facts?.rejects),
    outages: outages.map(({ from, to, cause, host }) => {
      return { from: wallTime(from), to: to === undefined ? null : wallTime(to), cause, host }
    }),
    rejects_place: facts?.rejectsPlace ?? null,
    held: told ? heldOf(told) : null,
    states: lines ? { first: Number(lines.first), last: Number(lines.last) } : null,
    offsets: places.flatMap(({ topic, partition, first, last }) =>
      topic === undefined ? [] : [{ topic, partition: partition!, first: `${first}`, last: `${last}` }],
    ),
    input: facts?.input ? { bytes: facts.input.size, read: facts.input.read } : null,
    read_seconds: record?.readUntil === undefined ? null : seconds(record.readUntil),
    latency_ms: record?.latency ?? null,
    limits: limits.map(([option, title, value]) => ({ option, title, value })),
    samples: (record?.samples ?? []).map((sample) => sampleOf(sample, outages, clockStart)),
  } satisfies Partial<Summary>
}

/** Describes streams or topics, and their total. Added to the counts of the facts: committed checkpoints, and rejected records that are not
 *  settled, because they ended the run or are being kept, so that the counts agree with the list of reasons. If several rows share a table,
 *  the first of them has its requests. */
function rowsAndTotalOf({ facts, record: { checkpoints }, digests }: RunTold) {
  const { rejects, tables } = facts
  // A summary shows no rates, which would need earlier facts. A replay has no lag: the partitions that it reads are those of dead letters,
  // not those of the topics in its rows.
  const { rows, total } = facts.replays === true ? facts : runFigures(facts, undefined)
  const tablesLeft = new Map(tables.map((one) => [one.table, one]))
  return {
    rows: rows.map((row): SummaryRow => {
      const { name, table = null, scope, isPart, pauses, fields } = row
      const committed = scope === undefined ? undefined : (checkpoints.get(scope) ?? 0)
      // rejected records without a table count in the row of the stream or topic itself, not in the rows of its parts
      const rejected = rejects.recordsOf(name, (of) => of === row.table || (of === undefined && isPart !== true))
      const sent = tablesLeft.get(table ?? '')
      tablesLeft.delete(table ?? '')
      return {
        name,
        table,
        digest: digests.digestOf?.(row) ?? null,
        counts: countsOf(withCheckpointsAndRejects(row.counts, committed, rejected)),
        requests: sent?.requests ?? 0,
        attempts: sent?.attempts ?? 0,
        retries: sent?.retries ?? emptyTally().retries,
        fetch_pauses: pauses ?? null,
        lag: lagOf(row.lag),
        fields: fields?.() ?? null,
      }
    }),
    total: withCheckpointsAndRejects(
      total.counts,
      // also those that belong to no row
      [...checkpoints.values()].reduce((sum, count) => sum + count, 0),
      rejects.all.reduce((sum, { records }) => sum + records, 0),
    ),
    lag: lagOf(total.lag),
  }
}

/** Adds to the counts of a row. Rejected records that are not settled count as rejected then, not as unsettled.
 *  @param rejected the rejected records of the row, settled or not */
function withCheckpointsAndRejects(counts: RunCounts, checkpoints: number | undefined, rejected: number): RunCounts {
  const moved = counts.rejected === undefined ? 0 : rejected - counts.rejected
  if (moved <= 0) return { ...counts, checkpoints }
  const unsettled = counts.unsettled && Math.max(0, counts.unsettled - moved)
  return { ...counts, rejected, unsettled, checkpoints }
}

export function rejectedOf(rejects: Pick<RejectFacts, 'all'> | undefined): Summary['rejected'] {
  return (rejects?.all ?? []).map(({ name, table = null, by, reason, records, first }) => {
    return { name, table, by, reason, records, first }
  })
}

function countsOf(counts: RunCounts): Summary['total'] {
  return Object.fromEntries(COUNT_NAMES.flatMap((name) => (counts[name] === undefined ? [] : [[name, counts[name]]])))
}

/** The lag as a number, which no lag is too large for in practice. `null` when it is not known. */
function lagOf(lag: bigint | undefined): number | null {
  return lag === undefined ? null : Number(lag)
}

function secondsBy<Name extends string>(names: readonly Name[], msOf: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, seconds(msOf(name))])) as Record<Name, number>
}

function heldOf({ record: { samples }, facts }: RunTold): Summary['held'] {
  const { permits, rate } = facts.delivery
  return {
    seconds: secondsBy(WAITS, (wait) => samples.reduce((sum, { heldMs }) => sum + heldMs[wait], 0)),
    permits: permits ?? null,
    rate_limit: rateOf(rate?.perSecond),
    rate_cause: rate?.cause ?? null,
    rate_suspected: rate?.isSuspected ?? false,
    rate_since: rate?.since === undefined ? null : seconds(rate.since - facts.startedAt),
  }
}

function sampleOf(sample: Sample, outages: readonly ListedOutage[], clockStart: number): Summary['samples'][number] {
  const { from, to, points: rows, requests, bytes, attempts, retries, inFlightMs, permitMs, rate } = sample
  const ms = Math.max(1, to - from)
  const outageMs = outages.reduce((sum, outage) => {
    const [began, over] = [outage.from - clockStart, (outage.to ?? Infinity) - clockStart]
    return sum + Math.max(0, Math.min(to, over) - Math.max(from, began))
  }, 0)
  return {
    from: seconds(from),
    to: seconds(to),
    rows,
    requests,
    bytes,
    attempts,
    retries: { ...retries },
    in_flight: hundredths(inFlightMs / ms),
    permits: hundredths(permitMs / ms),
    rate_limit: rateOf(rate),
    // several servers may have been down at once
    outage_seconds: seconds(Math.min(outageMs, to - from)),
    held_seconds: secondsBy(WAITS, (wait) => sample.heldMs[wait]),
    busy_seconds: seconds(sample.busyMs),
    spent_seconds: secondsBy(STATES, (state) => sample.spentMs[state]),
  }
}

/** Returns the attempts a second; `null` when they are not limited. */
function rateOf(perSecond: number | undefined): number | null {
  return perSecond !== undefined && Number.isFinite(perSecond) ? hundredths(perSecond) : null
}

export function seconds(ms: number): number {
  return Math.round(ms) / 1000
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}
