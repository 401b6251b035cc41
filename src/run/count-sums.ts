// Counts that follow from others: of a row from those of its table, of the total from those of all rows.

import type { TableTally } from '../core/tally.ts'
import { COUNT_NAMES } from './counts.ts'
import type { CountName, RunCounts, RunRow } from './counts.ts'

/** Returns the counts of a row that has its table for itself. */
export function withTableCounts(counts: RunCounts, tally: Readonly<TableTally> | undefined): RunCounts {
  const all = { ...counts, ...tableCounts(tally) }
  return { ...all, superseded: countSuperseded(all) }
}

/** Returns the counts that only a table knows; zeros when nothing was sent to it. */
export function tableCounts(tally: Readonly<TableTally> | undefined): RunCounts {
  if (tally === undefined) return { rows: 0, bytes: 0, retries: 0 }
  return {
    rows: tally.rows,
    bytes: tally.bytes,
    retries: Object.values(tally.retries).reduce((sum, one) => sum + one, 0),
  }
}

/** Counts the superseded records: settled ones without a delivered row of their own. */
function countSuperseded({ written, rows }: RunCounts): number | undefined {
  return written === undefined ? undefined : Math.max(0, written - (rows ?? 0))
}

const KNOWN_FROM_THE_START: ReadonlySet<CountName> = new Set(['records', 'rows', 'rejected', 'retries', 'bytes'])

/** The sums of the counts of rows that come and go. */
export class RunSums {
  readonly #sums = new Map<CountName, { sum: number; rows: number }>()

  add(counts: RunCounts): void {
    for (const name of COUNT_NAMES) if (counts[name] !== undefined) this.#change(name, counts[name], 1)
  }

  /** Takes counts out again that were added before. */
  remove(counts: RunCounts): void {
    for (const name of COUNT_NAMES) if (counts[name] !== undefined) this.#change(name, -counts[name], -1)
  }

  #change(name: CountName, count: number, rows: number): void {
    const known = this.#sums.get(name)
    this.#sums.set(name, { sum: (known?.sum ?? 0) + count, rows: (known?.rows ?? 0) + rows })
  }

  /** @param together counts that replace sums: they are known only of all rows together */
  total(together: RunCounts = {}): RunRow {
    const sums = Object.fromEntries(COUNT_NAMES.map((name) => [name, this.#sum(name)])) as RunCounts
    const counts = { ...sums, ...together }
    return { name: 'Total', table: undefined, counts: { ...counts, superseded: countSuperseded(counts) } }
  }

  /** @returns `undefined` when no row knows it */
  #sum(name: CountName): number | undefined {
    const { sum, rows } = this.#sums.get(name) ?? { sum: 0, rows: 0 }
    return rows > 0 || KNOWN_FROM_THE_START.has(name) ? sum : undefined
  }
}
