// A run as one object for programs. Pure. Texts that are not this program's own are scrubbed.

import { COUNT_NAMES } from '../../run/counts.ts'
import type { RunCounts, RunRow, TableFacts } from '../../run/counts.ts'
import type { ListedOutage } from '../../run/outage-list.ts'
import type { RejectFacts, RowFacts } from '../../run/run-facts.ts'
import { finalCounts } from '../../run/final-counts.ts'
import type { RunEnd, RunSoFar, RunTold } from '../../run/run-so-far.ts'
import { WAITS } from '../../run/samples.ts'
import type { Sample, Wait } from '../../run/samples.ts'
import { scrubbed } from './summary-scrub.ts'
import type { Summary, SummaryRow } from './summary-schema.ts'

/** The beginning of every summary. */
export const SUMMARY_HEAD = '{\n  "program": "destination-analytics-service"'

export function summaryText(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`
}

export function summaryOf(run: RunSoFar, scrub: (text: string) => string): Omit<Summary, 'changes'> {
  const { told, command, ended, startedAt, writtenAt, elapsedMs, version, commit } = run
  const isOver = ended.how !== 'running' && ended.how !== 'stopping'
  const ours = {
    program: 'destination-analytics-service',
    schema_version: 1,
    version,
    ...(commit !== undefined && { commit }),
    command,
    run_id: run.runId,
    service: told?.host ?? null,
    started: isoOf(startedAt),
    written: isoOf(writtenAt),
    ended: isOver ? isoOf(writtenAt) : null,
    seconds: seconds(elapsedMs),
    result: ended.how,
    exit_code: exitCodeOf(ended, run.stopCode),
    config_digest: told?.digests.config ?? null,
    catalog_digest: told?.digests.catalog ?? null,
  } as const satisfies Partial<Summary>
  return { ...ours, ...scrubbed(toldOf(run), scrub) }
}

function exitCodeOf({ how }: RunEnd, stopCode: number): number | null {
  if (how === 'done') return 0
  if (how === 'failed') return 1
  return how === 'stopped' ? stopCode : null
}

function toldOf({ told, startedAt, clockStart, ended }: RunSoFar) {
  const { limits = [], facts, record } = told ?? {}
  const outages = facts?.outages ?? []
  const tables = new Map(facts?.tables.map((one) => [one.table, one]))
  const counted = told && finalCounts(told.facts, told.record.checkpoints)
  const wall = (at: number): string => isoOf(startedAt + at - clockStart)
  const places = record?.places ?? []
  const [first] = places
  return {
    error: ended.how === 'failed' ? { kind: ended.kind, code: ended.code ?? null, message: ended.message } : null,
    rows: (facts?.rows ?? []).map((row, at) => rowOf(row, counted!.rows[at]!, tables, told!.digests.of)),
    total: countsOf(counted?.total.counts ?? {}),
    lag: lagOf(counted?.total),
    rejected: rejectedOf(facts?.rejects),
    outages: outages.map(({ from, to, cause, host }) => {
      return { from: wall(from), to: to === undefined ? null : wall(to), cause, host }
    }),
    rejects_place: facts?.rejectsPlace ?? null,
    held: told ? heldOf(told) : null,
    states: facts?.noun === 'stream' && first ? { first: Number(first.first), last: Number(first.last) } : null,
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

export function rejectedOf(rejects: Pick<RejectFacts, 'all'> | undefined): Summary['rejected'] {
  return (rejects?.all ?? []).map(({ name, table = null, by, reason, records, first }) => {
    return { name, table, by, reason, records, first }
  })
}

/** @param tables the first row of each takes it */
function rowOf(row: RowFacts, counted: RunRow, tables: Map<string, TableFacts>, digestOf: RunTold['digests']['of']) {
  const { name, table, pauses, fields } = row
  const sent = tables.get(table ?? '')
  tables.delete(table ?? '')
  return {
    name,
    table: table ?? null,
    digest: digestOf?.(row) ?? null,
    counts: countsOf(counted.counts),
    requests: sent?.requests ?? 0,
    attempts: sent?.attempts ?? 0,
    retries: sent?.retries ?? { throttled: 0, server: 0, network: 0, timeout: 0 },
    fetch_pauses: pauses ?? null,
    lag: lagOf(counted),
    fields: fields?.() ?? null,
  } satisfies SummaryRow
}

function countsOf(counts: RunCounts): Summary['total'] {
  return Object.fromEntries(COUNT_NAMES.flatMap((name) => (counts[name] === undefined ? [] : [[name, counts[name]]])))
}

/** Returns a number, as no lag exceeds 2^53 in practice. */
function lagOf(row: Pick<RunRow, 'lag'> | undefined): number | null {
  return row?.lag === undefined ? null : Number(row.lag)
}

function secondsEach<Name extends string>(ms: Readonly<Record<Name, number>>): Record<Name, number> {
  return Object.fromEntries(Object.entries<number>(ms).map(([name, one]) => [name, seconds(one)])) as Record<
    Name,
    number
  >
}

function heldOf({ record: { samples }, facts }: RunTold): Summary['held'] {
  const { permits, rate } = facts.delivery
  const heldMs = Object.fromEntries(
    WAITS.map((wait) => [wait, samples.reduce((sum, one) => sum + one.heldMs[wait], 0)]),
  ) as Record<Wait, number>
  return {
    seconds: secondsEach(heldMs),
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
    held_seconds: secondsEach(sample.heldMs),
    busy_seconds: seconds(sample.busyMs),
    spent_seconds: secondsEach(sample.spentMs),
  }
}

/** Returns `null` when attempts a second are not limited. */
function rateOf(perSecond: number | undefined): number | null {
  return perSecond !== undefined && Number.isFinite(perSecond) ? hundredths(perSecond) : null
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}
