// A run as one object for programs, from what its report is made of. Pure. Texts that are not this program's own are scrubbed.

import { ALL_COUNTS } from '../counts.ts'
import type { RunCounts, RunRow, TableFacts } from '../counts.ts'
import type { ListedOutage } from '../outage-list.ts'
import { STATES, WAITS } from './samples.ts'
import type { Sample, SpentState, Wait } from './samples.ts'
import type { RejectFacts, ReportEnd, ReportRecord, RunSoFar } from '../report/report.ts'
import { scrubbed } from './summary-scrub.ts'
import type { FieldsFacts, RowFacts, RunFacts } from '../run-facts.ts'
import type { Summary, SummaryRow } from './summary-schema.ts'

/** The beginning of every summary. */
export const SUMMARY_HEAD = '{\n  "program": "destination-analytics-service"'

export function summaryText(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`
}

export function summaryOf(run: RunSoFar, scrub: (text: string) => string): Omit<Summary, 'changes'> {
  const { about, command, ended, startedAt, writtenAt, elapsedMs, version, commit } = run
  const isOver = ended.how !== 'running' && ended.how !== 'stopping'
  const ours = {
    program: 'destination-analytics-service',
    schema_version: 1,
    version,
    ...(commit !== undefined && { commit }),
    command,
    run_id: run.runId,
    service: about?.host ?? null,
    started: isoOf(startedAt),
    written: isoOf(writtenAt),
    ended: isOver ? isoOf(writtenAt) : null,
    seconds: seconds(elapsedMs),
    result: ended.how,
    exit_code: exitCodeOf(ended, run.stopCode),
    config_digest: about?.digests?.config ?? null,
    catalog_digest: about?.digests?.catalog ?? null,
  } as const satisfies Partial<Summary>
  const told = scrubbed(toldOf(run), scrub)
  // hex digits may hold a short secret by chance
  for (const [at, row] of told.rows.entries()) row.digest = about?.digests?.of?.(run.facts!.rows[at]!) ?? null
  return { ...ours, ...told }
}

function exitCodeOf({ how }: ReportEnd, stopCode: number): number | null {
  if (how === 'done') return 0
  if (how === 'failed') return 1
  return how === 'stopped' ? stopCode : null
}

function toldOf({ about, startedAt, clockStart, ended, record, table, noun, facts }: RunSoFar) {
  const { limits = [], outages = [], rejects, rejectsPlace = null } = about ?? {}
  const tables = new Map(facts?.tables.map((one) => [one.table, one]))
  const wall = (at: number): string => isoOf(startedAt + at - clockStart)
  const places = record?.places ?? []
  const [first] = places
  return {
    error: ended.how === 'failed' ? { kind: ended.kind, code: ended.code ?? null, message: ended.message } : null,
    rows: (facts?.rows ?? []).map((row, at) => rowOf(row, table?.rows[at] ?? row, tables)),
    total: countsOf(table?.total.counts ?? {}),
    lag: lagOf(table?.total),
    rejected: rejectedOf(rejects),
    outages: outages.map(({ from, to, cause, host }) => {
      return { from: wall(from), to: to === undefined ? null : wall(to), cause, host }
    }),
    rejects_place: rejectsPlace,
    held: record && facts ? heldOf(record, facts) : null,
    states: noun === 'stream' && first ? { first: Number(first.first), last: Number(first.last) } : null,
    offsets: places.flatMap(({ topic, partition, first, last }) =>
      topic === undefined ? [] : [{ topic, partition: partition!, first: `${first}`, last: `${last}` }],
    ),
    input: facts?.input ? { bytes: facts.input.size, read: facts.input.read } : null,
    read_seconds: record?.readUntil === undefined ? null : seconds(record.readUntil),
    latency_ms: record?.latency ? latencyOf(record.latency) : null,
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
function rowOf({ name, table, pauses, fields }: RowFacts, counted: RunRow, tables: Map<string, TableFacts>) {
  const of = tables.get(table ?? '')
  tables.delete(table ?? '')
  return {
    name,
    table: table ?? null,
    digest: null as string | null,
    counts: countsOf(counted.counts),
    requests: of?.requests ?? 0,
    attempts: of?.attempts ?? 0,
    retries: of?.retries ?? { throttled: 0, server: 0, network: 0, timeout: 0 },
    fetch_pauses: pauses ?? null,
    lag: lagOf(counted),
    fields: fieldsOf(fields?.()),
  } satisfies SummaryRow
}

export function fieldsOf(known: FieldsFacts | undefined): SummaryRow['fields'] {
  if (known === undefined) return null
  const { sampled, fields, others } = known
  return { sampled, names: fields.map(({ name, records, kinds }) => ({ name, records, kinds })), others }
}

function countsOf(counts: RunCounts): Summary['total'] {
  return Object.fromEntries(ALL_COUNTS.flatMap(([name]) => (counts[name] === undefined ? [] : [[name, counts[name]]])))
}

/** None exceeds 2^53 in practice. */
function lagOf(row: Pick<RunRow, 'lag'> | undefined): number | null {
  return row?.lag === undefined ? null : Number(row.lag)
}

function latencyOf({ p50, p95, p99, most }: NonNullable<ReportRecord['latency']>): Summary['latency_ms'] {
  return { p50, p95, p99, most: Math.round(most) }
}

function waitsOf(ms: (wait: Wait) => number): Record<Wait, number> {
  return Object.fromEntries(WAITS.map((wait) => [wait, seconds(ms(wait))])) as Record<Wait, number>
}

function heldOf({ samples }: ReportRecord, facts: RunFacts): Summary['held'] {
  const { permits, rate } = facts.delivery
  return {
    seconds: waitsOf((wait) => samples.reduce((sum, { heldMs }) => sum + heldMs[wait], 0)),
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
    held_seconds: waitsOf((wait) => sample.heldMs[wait]),
    busy_seconds: seconds(sample.busyMs),
    spent_seconds: Object.fromEntries(STATES.map((state) => [state, seconds(sample.spentMs[state])])) as Record<
      SpentState,
      number
    >,
  }
}

/** null: any number. */
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
