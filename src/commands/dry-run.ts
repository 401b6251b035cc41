// A dry run of `write` or `stream`: the same run with a sink that sends nothing. Prints what the run would come to.

import { asConnectorError, NO_CODE, ConnectorError } from '../core/errors.ts'
import type { Table } from '../core/types.ts'
import { singleLine } from '../json/strings.ts'
import { rowKey } from '../mapping/key-atom.ts'
import type { Ended, Io, Log } from '../process/io.ts'
import { paintFor } from '../process/paint.ts'
import { HASH_SEED } from '../process/system-clock.ts'
import { DryCounts } from '../telemetry/dry-run/dry-counts.ts'
import type { DryRun } from '../telemetry/dry-run/dry-run-schema.ts'
import { dryRunText } from '../telemetry/dry-run/dry-run-text.ts'
import type { RunRow } from '../run/counts.ts'
import type { OpenInput } from '../run/open-input.ts'
import type { RunDisplay, RunFacts } from '../run/run-facts.ts'
import { runTerminal } from '../telemetry/run-terminal.ts'
import { changesSince, lastingChange, readOldSummary, readSummary } from '../telemetry/summary/compare-summaries.ts'
import type { Summary } from '../telemetry/summary/summary-schema.ts'
import { scrubbed } from '../telemetry/summary/summary-scrub.ts'
import { rejectedOf } from '../telemetry/summary/summary.ts'
import { version } from '../version.ts'
import { run, type RunConfig, type Command } from './run.ts'

export interface DryRunChoices {
  readonly json: boolean
  /** The file of an older summary to compare with. */
  readonly compare?: string | undefined
  /** Whether that summary must be there, and keys, tables and fields be those that it has. */
  readonly failOnChange?: boolean
}

interface DryRunOptions<C, O> extends DryRunChoices, Pick<Command<C, O>, 'name'> {
  readonly noun: RunFacts['noun']
  /** Loads the run that is tried. */
  load(log: Log): Promise<Pick<RunConfig<C, O>, 'limits' | 'stallDeadlineMs' | 'open'>>
}

/** Makes a dry run, and prints it. @returns 0; 1 when the run would fail; `stopped` when the process was asked to stop. Never throws. */
export async function dryRun<C, O>(options: DryRunOptions<C, O>, io: Io): Promise<Ended> {
  const dry = scrubbed(await tryOut(options, io), io.scrubber.scrub)
  const paint = paintFor(io, io.columns !== undefined)
  const text = options.json ? `${singleLine(dry)}\n` : dryRunText(dry, options.noun, io.columns ?? Infinity, paint)
  // a reader that takes only the first lines does not change the verdict
  await io.stdout.write(text).catch(() => {})
  if (dry.result === 'stopped') return 'stopped'
  return dry.result === 'done' ? 0 : 1
}

/** Requests in flight at once, whatever the config says: here none takes any time. */
const CONCURRENCY = 4
const COUNTED_TWICE =
  'The brokers assigned its partitions twice, so some records are counted twice. Run the dry run again, at a time when the brokers are calm.'
type Figures = Pick<DryRun, 'rows' | 'tables' | 'rejected' | 'offsets'>
const NO_FIGURES: Figures = { rows: [], tables: [], rejected: [], offsets: [] }

async function tryOut<C, O>(options: DryRunOptions<C, O>, io: Io): Promise<DryRun> {
  const { name, compare, failOnChange } = options
  const counts = new DryCounts(HASH_SEED, rowKey)
  const warnings: string[] = []
  using display = displayOf(io)
  // a dry run prints its warnings and errors at the end, and no other line of the log
  const log: Log = async (level, message) => {
    if (level === 'warn' || level === 'error') warnings.push(message)
  }
  let oldSummary: Summary | undefined
  let limits: RunConfig<C, O>['limits'] | undefined
  let figures = NO_FIGURES
  const load = async (): Promise<RunConfig<C, O>> => {
    if (compare !== undefined)
      oldSummary = await (failOnChange === true ? readSummary(compare, '--compare') : readOldSummary(compare, log))
    const config = await options.load(log)
    limits = { ...config.limits, concurrency: CONCURRENCY, maxRequestsPerSecond: undefined }
    return {
      service: undefined,
      stallDeadlineMs: config.stallDeadlineMs,
      limits,
      reportLimits: [],
      open: async (context) => counts.counted(await config.open({ ...context, samplesFields: true, dry: counts })),
    }
  }
  const show = (facts: RunFacts): void => display?.show(withoutSent(facts))
  const ended = async (facts: RunFacts, input: OpenInput<C, O>): Promise<void> => {
    show(facts)
    figures = figuresOf(facts, input, (table) => counts.tableOf(table, limits!))
    // the first rebalance is joining the group; any other makes it read again what was counted, because nothing is committed
    if (facts.failed === undefined && (facts.group?.rebalances ?? 0) > 1)
      throw new ConnectorError('transient', NO_CODE, COUNTED_TWICE)
  }
  const command = { name, files: [], reportFiles: {}, log, show, ended, load }
  const ending: Pick<DryRun, 'result' | 'error'> = await run(command, io).then(
    (outcome) => ({ result: outcome === 'complete' ? 'done' : 'stopped', error: null }),
    failed,
  )
  const isDone = ending.result === 'done'
  const summaryRows = figures.rows.map(({ records, ...row }) => ({ ...row, counts: { records } }))
  const changes = oldSummary && isDone ? changesSince(oldSummary, { rows: summaryRows }) : null
  const changeError = failOnChange === true && changes ? lastingChange(changes, options.noun, compare!) : undefined
  return {
    program: 'destination-analytics-service',
    schema_version: 1,
    version: version(),
    command: name,
    ...(changeError ? failed(changeError) : ending),
    ...figures,
    // lines behind a record that ended the run may have been read
    longest_line: isDone ? counts.longestLine : null,
    warnings,
    changes,
  }
}

function failed(thrown: unknown): Pick<DryRun, 'result' | 'error'> {
  const { kind, code = null, message } = asConnectorError(thrown)
  return { result: 'failed', error: { kind, code, message } }
}

function figuresOf<C, O>(
  facts: RunFacts,
  { rows, digests, rejectCounts, spans = [] }: OpenInput<C, O>,
  tableOf: (table: Table) => DryRun['tables'][number],
): Figures {
  const { stop: fatal } = rejectCounts
  // the record that ended the run is not among the rejected ones of its row
  const fatalRecords = (name: string, table: string | null): number =>
    fatal?.by === 'rejected' && fatal.name === name && (fatal.table ?? null) === table ? fatal.records : 0
  return {
    rows: facts.rows.map(({ name, table = null, counts: { records = 0, rejected: all = 0 }, deadLetters, fields }) => {
      const rejected = (deadLetters?.rejected ?? all) + fatalRecords(name, table)
      const digest = digests?.digestOf({ name, table }) ?? null
      return { name, table, digest, records, rejected, fields: fields?.() ?? null }
    }),
    tables: Array.from(new Set(rows.all.flatMap(({ table }) => table ?? [])), tableOf),
    rejected: rejectedOf(rejectCounts).filter(({ by }) => by === 'rejected'),
    offsets: spans.map(({ from, to, ...span }) => ({ ...span, first: `${from}`, end: `${to}` })),
  }
}

/** The same facts without counts of what was sent and stored, because nothing is. */
function withoutSent({ rows, total, ...facts }: RunFacts): RunFacts {
  return { ...facts, rows: rows.map(withoutSentCounts), total: withoutSentCounts(total), isDry: true }
}

function withoutSentCounts<Row extends RunRow>(row: Row): Row {
  return { ...row, counts: { ...row.counts, rows: undefined, written: undefined, superseded: undefined } }
}

/** The progress, on standard error. `undefined` when it is no terminal, or no cursor moves. */
function displayOf(io: Io): RunDisplay | undefined {
  const { stderr, errorSize, isDumb } = io
  if (errorSize?.() === undefined || isDumb === true) return undefined
  const write = (text: string): Promise<void> => stderr.write(io.scrubber.scrub(text)).catch(() => {})
  return runTerminal({ write, size: errorSize, least: 'error', wallClock: Date.now, paint: paintFor(io, true) })
}
