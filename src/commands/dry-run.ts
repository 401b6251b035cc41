// A dry run of any door: the same run with a sink that sends nothing, and what it would come to.

import { asConnectorError } from '../core/errors.ts'
import { singleLine } from '../json/strings.ts'
import type { Ended, Io, Log } from '../process/io.ts'
import { paintFor } from '../process/paint.ts'
import { HASH_SEED } from '../process/system-clock.ts'
import { countedInput, DryCounts } from '../telemetry/dry-run/dry-counts.ts'
import type { DryRun } from '../telemetry/dry-run/dry-run-schema.ts'
import { dryRunText } from '../telemetry/dry-run/dry-run-text.ts'
import type { OpenInput, RunContext } from '../telemetry/open-input.ts'
import { scrubbed } from '../telemetry/summary/summary-scrub.ts'
import type { RunDisplay, RunFacts } from '../telemetry/run-facts.ts'
import { plainTerminal, runTerminal } from '../telemetry/run-terminal.ts'
import { changesSince } from '../telemetry/summary/compare-summaries.ts'
import { readOldSummary } from '../telemetry/summary/summary-page.ts'
import type { Summary } from '../telemetry/summary/summary-schema.ts'
import { fieldsOf } from '../telemetry/summary/summary.ts'
import { version } from '../version.ts'
import { run } from './run.ts'
import type { Door } from './run.ts'

interface DryRunOptions<C, O> {
  /** As on the command line, of the run itself. */
  readonly command: string
  readonly noun: RunFacts['noun']
  readonly json: boolean
  /** An older summary, which is compared with. */
  readonly compare?: string | undefined
  /** As of a verb. */
  load(log: Log): Promise<Pick<Door<C, O>, 'limits' | 'stallDeadlineMs' | 'open'>>
}

/** @returns 0; 1 when the run would fail; `stopped` when the process was asked to stop. Never throws. */
export async function dryRun<C, O>(options: DryRunOptions<C, O>, io: Io): Promise<Ended> {
  const looked = await look(options, io)
  const { noun, json } = options
  const dry = scrubbed(looked, io.scrubber.scrub)
  const paint = paintFor(io, io.columns !== undefined)
  const text = json ? `${singleLine(dry)}\n` : dryRunText(dry, noun, io.columns ?? Infinity, paint)
  // who reads only the first lines does not change the verdict
  await io.stdout.write(text).catch(() => {})
  if (dry.result === 'stopped') return 'stopped'
  return dry.result === 'done' ? 0 : 1
}

/** Nothing is committed, so what was counted is read once more. */
const READ_AGAIN = {
  kind: 'transient',
  code: null,
  message: 'The brokers assigned its partitions twice, so some records are counted twice. Run it again.',
} as const

/** In which a run may be at once: no request takes any time. */
const REQUESTS = 4

async function look<C, O>(options: DryRunOptions<C, O>, io: Io): Promise<DryRun> {
  const { command, noun } = options
  const counts = new DryCounts(HASH_SEED)
  const warnings: string[] = []
  using display = displayOf(io)
  const log: Log = async (level, message) => {
    if (level === 'warn' || level === 'error') warnings.push(message)
  }
  let input: OpenInput<C, O> | undefined
  let limits: Door<C, O>['limits'] | undefined
  let old: Summary | undefined
  let facts: RunFacts | undefined
  const load = async (): Promise<Door<C, O>> => {
    if (options.compare !== undefined) old = await readOldSummary(options.compare, log)
    const door = await options.load(log)
    limits = door.limits
    const open = async (context: RunContext): Promise<OpenInput<C, O>> =>
      (input = countedInput(await door.open({ ...context, samplesFields: true, dry: counts }), counts))
    return {
      service: undefined,
      stallDeadlineMs: door.stallDeadlineMs,
      limits: { ...limits, concurrency: REQUESTS, maxRequestsPerSecond: undefined },
      reportLimits: [],
      open,
    }
  }
  const ended = (last: RunFacts): Promise<void> => Promise.resolve(void (facts = last))
  const show = (now: RunFacts): void => display?.show(withoutSent(now))
  const verb = { command, noun, files: [], reportFiles: {}, log, show, ended, load }
  const how: Pick<DryRun, 'result' | 'error'> = await run(verb, io).then(
    (how) => {
      if ((facts?.group?.rebalances ?? 0) > 1) return { result: 'failed', error: READ_AGAIN }
      return { result: how === 'complete' ? 'done' : 'stopped', error: null }
    },
    (error: unknown) => {
      const { kind, code = null, message } = asConnectorError(error)
      return { result: 'failed', error: { kind, code, message } }
    },
  )
  const told = input && facts && limits ? toldOf(input, facts, counts, limits) : NOTHING
  const compared = told.rows.map((row) => ({ ...row, counts: { records: row.records } }))
  const changes = old && how.result === 'done' ? changesSince(old, { rows: compared }) : null
  return {
    program: 'destination-analytics-service',
    schema_version: 1,
    version: version(),
    command,
    ...how,
    ...told,
    warnings,
    changes,
  }
}

type Told = Pick<DryRun, 'rows' | 'tables' | 'rejected' | 'longest_line' | 'offsets'>

const NOTHING: Told = { rows: [], tables: [], rejected: [], longest_line: null, offsets: [] }

function toldOf<C, O>(
  { rows, rejectCounts, spans = [] }: OpenInput<C, O>,
  facts: RunFacts,
  counts: DryCounts,
  limits: Door<C, O>['limits'],
): Told {
  const rejected = rejectCounts.all.filter(({ by }) => by === 'rejected')
  const tables = new Set(rows.all.flatMap(({ table }) => (table ? [table] : [])))
  const line = counts.longestLine
  const { stop } = rejectCounts
  const ending = (name: string, table: string | null): number =>
    stop?.by === 'rejected' && stop.name === name && (stop.table ?? null) === table ? stop.records : 0
  return {
    rows: facts.rows.map(({ name, table = null, counts: { records = 0, rejected: all = 0 }, deadLetters, fields }) => {
      const rejected = deadLetters?.rejected ?? all
      return { name, table, records, rejected: rejected + ending(name, table), fields: fieldsOf(fields?.()) }
    }),
    tables: Array.from(tables, (table) => {
      const { rows, isExact, rowsSent, leastRequests, leastBytes, largest } = counts.boundsOf(table, limits)
      return {
        table: table.name,
        rows,
        rows_exact: isExact,
        rows_sent: { at_least: rowsSent[0], at_most: rowsSent[1] },
        requests_at_least: leastRequests,
        bytes_at_least: leastBytes,
        largest_record: largest ?? null,
      }
    }),
    rejected: rejected.map(({ name, table = null, reason, records, first }) => {
      return { name, table, reason, records, first }
    }),
    longest_line: line ? { line: line.number, bytes: line.bytes } : null,
    offsets: spans.map(({ from, to, ...span }) => ({ ...span, first: `${from}`, end: `${to}` })),
  }
}

/** Nothing is sent and stored, so that is not shown. */
function withoutSent(facts: RunFacts): RunFacts {
  const hidden = { rows: undefined, written: undefined, superseded: undefined }
  const rows = facts.rows.map((row) => ({ ...row, counts: { ...row.counts, ...hidden } }))
  return { ...facts, rows, total: { ...facts.total, counts: { ...facts.total.counts, ...hidden } } }
}

/** The progress, on standard error; undefined: nobody looks. */
function displayOf(io: Io): RunDisplay | undefined {
  const { stderr, errorSize, isDumb } = io
  if (errorSize?.() === undefined) return undefined
  const write = (text: string): Promise<void> => stderr.write(io.scrubber.scrub(text)).catch(() => {})
  const size = (): { columns: number; rows: number } => errorSize() ?? { columns: 80, rows: 24 }
  const parts = { write, least: 'error', wallClock: Date.now, paint: paintFor(io, true) } as const
  return isDumb === true ? plainTerminal(parts) : runTerminal({ ...parts, size })
}
