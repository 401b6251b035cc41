// The counts of a run per stream or topic. Each count is declared once, in COUNTS: the summary, the progress lines, the table on a
// terminal, the report and /metrics are all built from it.

import type { TableTally } from '../core/tally.ts'
import { counted, thousands } from '../text/figures.ts'

export interface CountSpec {
  /** The heading of its column. */
  readonly heading: string
  /** The count in a sentence. */
  readonly words: (count: number) => string
  /** Whether sentences about the run show it. */
  readonly sentences: 'always' | 'if above 0' | 'never'
  /** Only those at its end do. */
  readonly isOfEnd?: true
  /** Whether it has a column in the report. */
  readonly report: 'always' | 'if above 0' | 'never'
  /** Set if it has a column on a terminal. The lowest is dropped first if the terminal is narrow. */
  readonly weight?: number
  /** Its name in the fields of a log entry. */
  readonly field?: string
  /** Its metric in /metrics, by topic; counts of one name differ in their label `result`. */
  readonly metric?: { readonly name: string; readonly result?: string; readonly help: string }
}

const SETTLED = {
  name: 'settled_records_total',
  help: 'Records whose offsets may be committed: written (or superseded by a newer version of their row), rejected, ignored by policy, or left out because it is not known which row or table they mean.',
}

/** All counts, in the order to show them. */
export const COUNTS = {
  records: {
    heading: 'Records',
    words: (count) => counted(count, 'record'),
    sentences: 'always',
    report: 'always',
    weight: 5,
    field: 'records',
    metric: {
      name: 'read_records_total',
      help: 'Records read from a topic; those read again after a rebalance count again.',
    },
  },
  rows: {
    heading: 'Rows sent',
    words: (count) => `${counted(count, 'row')} sent`,
    sentences: 'always',
    report: 'always',
    weight: 2,
    field: 'rows_sent',
  },
  written: {
    heading: 'Stored',
    words: (count) => `${thousands(count)} stored`,
    sentences: 'never',
    report: 'never',
    metric: { ...SETTLED, result: 'written' },
  },
  superseded: {
    heading: 'Superseded',
    words: (count) => `${thousands(count)} superseded`,
    sentences: 'never',
    report: 'if above 0',
  },
  rejected: {
    heading: 'Rejected',
    words: (count) => `${thousands(count)} rejected`,
    sentences: 'always',
    report: 'always',
    weight: 4,
    field: 'rejected',
    metric: { ...SETTLED, result: 'rejected' },
  },
  ignored: {
    heading: 'Ignored',
    words: (count) => `${thousands(count)} ignored`,
    sentences: 'always',
    report: 'if above 0',
    weight: 1,
    field: 'ignored',
    metric: { ...SETTLED, result: 'ignored' },
  },
  rowless: {
    heading: 'Tombstones without a row',
    words: (count) => counted(count, 'tombstone without a row', 'tombstones without a row'),
    sentences: 'if above 0',
    report: 'if above 0',
    field: 'tombstones_without_a_row',
    metric: { ...SETTLED, result: 'tombstone_without_a_row' },
  },
  tableless: {
    heading: 'Deletes without a table',
    words: (count) => counted(count, 'delete without a table', 'deletes without a table'),
    sentences: 'if above 0',
    report: 'if above 0',
    field: 'deletes_without_a_table',
    metric: { ...SETTLED, result: 'delete_without_a_table' },
  },
  retries: {
    heading: 'Retries',
    words: (count) => counted(count, 'retry', 'retries'),
    sentences: 'always',
    isOfEnd: true,
    report: 'if above 0',
  },
  bytes: { heading: 'Bytes', words: size, sentences: 'always', isOfEnd: true, report: 'never' },
  backward: {
    heading: 'Replaced a higher cursor',
    words: (count) => `${thousands(count)} replaced one with a higher cursor`,
    sentences: 'if above 0',
    isOfEnd: true,
    report: 'if above 0',
  },
  unsettled: {
    heading: 'Not settled',
    words: (count) => `${thousands(count)} not delivered`,
    sentences: 'if above 0',
    isOfEnd: true,
    report: 'if above 0',
  },
  checkpoints: {
    heading: 'Checkpoints',
    words: (count) => counted(count, 'checkpoint'),
    sentences: 'never',
    report: 'always',
  },
} as const satisfies Readonly<Record<string, CountSpec>>

export type CountName = keyof typeof COUNTS
/** Counts of a row. One that is absent or `undefined` is not known, or counted in another row. */
export type RunCounts = { readonly [Name in CountName]?: number | undefined }

export const ALL_COUNTS = Object.entries(COUNTS) as readonly (readonly [CountName, CountSpec])[]

/** A stream or topic, or the total of all. */
export interface RunRow {
  readonly name: string
  readonly table: string | undefined
  readonly counts: RunCounts
  /** Identifies its checkpoints. */
  readonly scope?: unknown
  /** One of several tables of a topic, beside a row of the topic itself. */
  readonly isPart?: boolean
  /** Offsets of a topic between what is settled and its end. `undefined` when not known. */
  readonly lag?: bigint | undefined
}

export interface RunRows<Row extends RunRow = RunRow> {
  readonly rows: readonly Row[]
  readonly total: RunRow
}

/** A table's tally (core/tally.ts) under its name. */
export interface TableFacts extends Readonly<TableTally> {
  readonly table: string
}

/** Returns the counts of a row that has its table for itself. */
export function withTable(counts: RunCounts, tally: Readonly<TableTally> | undefined): RunCounts {
  const all = { ...counts, ...ofTable(tally) }
  return { ...all, superseded: superseded(all) }
}

export function ofTable(tally: Readonly<TableTally> | undefined): RunCounts {
  if (tally === undefined) return { rows: 0, bytes: 0, retries: 0 }
  return {
    rows: tally.rows,
    bytes: tally.bytes,
    retries: Object.values(tally.retries).reduce((sum, one) => sum + one, 0),
  }
}

/** Counts the superseded records: settled ones without a delivered row of their own. */
function superseded({ written, rows }: RunCounts): number | undefined {
  return written === undefined ? undefined : Math.max(0, written - (rows ?? 0))
}

const KNOWN_FROM_THE_START: ReadonlySet<CountName> = new Set(['records', 'rows', 'rejected', 'retries', 'bytes'])

/** The sums of the counts of rows that come and go. */
export class RunSums {
  readonly #sums = new Map<CountName, { sum: number; rows: number }>()

  add(counts: RunCounts): void {
    for (const [name] of ALL_COUNTS) if (counts[name] !== undefined) this.#change(name, counts[name], 1)
  }

  /** Takes counts out again that were added before. */
  remove(counts: RunCounts): void {
    for (const [name] of ALL_COUNTS) if (counts[name] !== undefined) this.#change(name, -counts[name], -1)
  }

  #change(name: CountName, count: number, rows: number): void {
    const known = this.#sums.get(name)
    this.#sums.set(name, { sum: (known?.sum ?? 0) + count, rows: (known?.rows ?? 0) + rows })
  }

  /** @param together counts that replace sums: they are known only of all rows together */
  total(together: RunCounts = {}): RunRow {
    const sums = Object.fromEntries(ALL_COUNTS.map(([name]) => [name, this.#sum(name)])) as RunCounts
    const counts = { ...sums, ...together }
    return { name: 'Total', table: undefined, counts: { ...counts, superseded: superseded(counts) } }
  }

  /** @returns `undefined` when no row knows it */
  #sum(name: CountName): number | undefined {
    const { sum, rows } = this.#sums.get(name) ?? { sum: 0, rows: 0 }
    return rows > 0 || KNOWN_FROM_THE_START.has(name) ? sum : undefined
  }
}

/** "1,234 records", "1,200 rows sent" …
 *  @param isEnd whether they are for the end of the run */
export function countPhrases(counts: RunCounts, isEnd = false): string[] {
  return ALL_COUNTS.flatMap(([name, { words, sentences, isOfEnd }]) => {
    const count = counts[name]
    if (count === undefined || sentences === 'never' || (isOfEnd === true && !isEnd)) return []
    return sentences === 'always' || count > 0 ? [words(count)] : []
  })
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
