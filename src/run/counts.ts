// The counts of a run, per stream or topic and in total: what each is called, where it is shown (in sentences, on a terminal, in the
// report, in log entries, in /metrics; the summary has all), and which are computed from others. A new count is a row of `ALL`, and a name
// in the list of each place that shows it.

import type { TableTally } from '../core/tally.ts'
import { counted, thousands } from '../text/figures.ts'

/** The heading of a column of streams or topics, by the word that `RunFacts.noun` has for them. */
export const TITLES = { stream: 'Stream', topic: 'Topic' } as const

interface CountSpec {
  /** The heading of its column. */
  readonly heading: string
  /** Returns the count in words for a sentence. */
  readonly words: (count: number) => string
  /** Its name in log entries. Absent when they do not have it. */
  readonly field?: string
  /** The importance of its column on a terminal: where that is narrow, the lowest is dropped first. Absent when it has no column. */
  readonly weight?: number
}

const ALL = {
  records: { heading: 'Records', words: (count) => counted(count, 'record'), field: 'records', weight: 5 },
  rows: { heading: 'Rows sent', words: (count) => `${counted(count, 'row')} sent`, field: 'rows_sent', weight: 2 },
  written: { heading: 'Stored', words: (count) => `${thousands(count)} stored` },
  superseded: { heading: 'Superseded', words: (count) => `${thousands(count)} superseded` },
  rejected: { heading: 'Rejected', words: (count) => `${thousands(count)} rejected`, field: 'rejected', weight: 4 },
  ignored: { heading: 'Ignored', words: (count) => `${thousands(count)} ignored`, field: 'ignored', weight: 1 },
  rowless: {
    heading: 'Tombstones without a row',
    words: (count) => `${counted(count, 'tombstone')} without a row`,
    field: 'tombstones_without_a_row',
  },
  tableless: {
    heading: 'Deletes without a table',
    words: (count) => `${counted(count, 'delete')} without a table`,
    field: 'deletes_without_a_table',
  },
  retries: { heading: 'Retries', words: (count) => counted(count, 'retry', 'retries') },
  bytes: { heading: 'Bytes', words: size },
  backward: {
    heading: 'Replaced a higher cursor',
    words: (count) => `${thousands(count)} replaced one with a higher cursor`,
  },
  unsettled: { heading: 'Not settled', words: (count) => `${thousands(count)} not delivered` },
  checkpoints: { heading: 'Checkpoints', words: (count) => counted(count, 'checkpoint') },
} as const satisfies Readonly<Record<string, CountSpec>>

export type CountName = keyof typeof ALL
/** All counts, in the order to show them. */
export const COUNTS: Readonly<Record<CountName, CountSpec>> = ALL
export const COUNT_NAMES = Object.keys(ALL) as readonly CountName[]

/** The counts that a place shows always, and those that it shows only where they are above 0. */
interface Selection {
  readonly always: readonly CountName[]
  readonly seldom: readonly CountName[]
}

const IN_SENTENCES: Selection = { always: ['records', 'rows', 'rejected', 'ignored'], seldom: ['rowless', 'tableless'] }
/** Counts that only sentences at the end of a run show, behind the others. */
const IN_SENTENCES_AT_END: Selection = { always: ['retries', 'bytes'], seldom: ['backward', 'unsettled'] }
const IN_REPORT: Selection = {
  always: ['records', 'rows', 'rejected', 'checkpoints'],
  seldom: ['superseded', 'ignored', 'rowless', 'tableless', 'retries', 'backward', 'unsettled'],
}
/** Counts of settled records, each of which is in one of them, by the value of the label `result` in /metrics. */
export const SETTLED_COUNTS = {
  written: 'written',
  rejected: 'rejected',
  ignored: 'ignored',
  tombstone_without_a_row: 'rowless',
  delete_without_a_table: 'tableless',
} as const satisfies Readonly<Record<string, CountName>>

/** Counts of a row. One that is absent or `undefined` is not known, or counted in another row. */
export type RunCounts = { readonly [Name in CountName]?: number | undefined }

/** A stream or topic, or the total of all. */
export interface RunRow {
  readonly name: string
  readonly table: string | undefined
  readonly counts: RunCounts
  /** The identity that its checkpoints have (`OpenInput.scopeOf`). Absent for the total. */
  readonly scope?: unknown
  /** One of several tables of a topic, beside a row of the topic itself. */
  readonly isPart?: boolean
  /** Offsets of a topic between what is settled and its end. `undefined` when not known. */
  readonly lag?: bigint | undefined
}

/** A table's tally (core/tally.ts) under its name. */
export interface TableFacts extends Readonly<TableTally> {
  readonly table: string
}

/** Returns the counts that are known as phrases for a sentence: "1,234 records", "1,200 rows sent". */
export function countPhrases(counts: RunCounts, { atEnd }: { readonly atEnd: boolean }): string[] {
  const selections = atEnd ? [IN_SENTENCES, IN_SENTENCES_AT_END] : [IN_SENTENCES]
  const names = selections.flatMap((selection) => selected(selection, (name) => (counts[name] ?? 0) > 0))
  return names.flatMap((name) => (counts[name] === undefined ? [] : [COUNTS[name].words(counts[name])]))
}

/** Returns the counts that the report has a column for, given the counts of all its rows. */
export function reportCounts(all: readonly RunCounts[]): CountName[] {
  return selected(IN_REPORT, (name) => all.some((counts) => (counts[name] ?? 0) > 0))
}

function selected({ always, seldom }: Selection, isAbove0: (name: CountName) => boolean): CountName[] {
  return COUNT_NAMES.filter((name) => always.includes(name) || (seldom.includes(name) && isAbove0(name)))
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** Returns the counts of a row that shares its table with no other. */
export function withTableCounts(counts: RunCounts, tally: Readonly<TableTally>): RunCounts {
  const all = { ...counts, ...tableCounts(tally) }
  return { ...all, superseded: countSuperseded(all) }
}

/** Returns the counts that only a table knows. */
export function tableCounts({ rows, bytes, retries }: Readonly<TableTally>): RunCounts {
  return { rows, bytes, retries: Object.values(retries).reduce((sum, one) => sum + one, 0) }
}

/** Counts the superseded records: settled ones without a delivered row of their own. */
function countSuperseded({ written, rows }: RunCounts): number | undefined {
  return written === undefined ? undefined : Math.max(0, written - (rows ?? 0))
}

/** Counts of which the total is 0, not unknown, while no row has them. */
const KNOWN_FROM_THE_START = { records: 0, rows: 0, rejected: 0, retries: 0, bytes: 0 }

/** Makes the total of rows. @param together counts that are known only of all rows together, and replace sums */
export function totalOf(rows: readonly Pick<RunRow, 'counts'>[], together: RunCounts = {}): RunRow {
  const sums: Record<string, number> = { ...KNOWN_FROM_THE_START }
  // with thousands of rows, going through the counts that each has takes half as long as going through all of COUNT_NAMES
  for (const { counts } of rows)
    for (const name in counts) {
      const count = counts[name as CountName]
      if (count !== undefined) sums[name] = (sums[name] ?? 0) + count
    }
  const counts: RunCounts = { ...sums, ...together }
  return { name: 'Total', table: undefined, counts: { ...counts, superseded: countSuperseded(counts) } }
}
