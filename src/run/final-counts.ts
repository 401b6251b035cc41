// The counts of a run as its summary has them: those of its facts, and what these do not have.

import type { RunRow, RunRows } from './counts.ts'
import type { RunFacts } from './run-facts.ts'
import { runFigures } from './run-figures.ts'

/** Adds committed checkpoints, the lag of topics, and rejected records that are not settled, because they ended the run or are being
 *  kept: so the counts agree with the list of reasons.
 *  @param checkpoints by the scope of their row; those of no row are only in the total
 *  @returns the same rows in the same order */
export function finalCounts(facts: RunFacts, checkpoints: ReadonlyMap<unknown, number>): RunRows {
  const { rejects } = facts
  const { rows, total } = facts.group && facts.replays !== true ? runFigures(facts, undefined) : facts
  return {
    rows: rows.map((row) => {
      const committed = row.scope === undefined ? undefined : (checkpoints.get(row.scope) ?? 0)
      const isOf = (table: string | undefined) => table === row.table || (table === undefined && row.isPart !== true)
      return withMore(row, committed, rejects.recordsOf(row.name, isOf))
    }),
    total: withMore(
      total,
      [...checkpoints.values()].reduce((sum, count) => sum + count, 0),
      rejects.all.reduce((sum, { records }) => sum + records, 0),
    ),
  }
}

/** @param rejected the rejected records of the row, settled or not */
function withMore(row: RunRow, checkpoints: number | undefined, rejected: number): RunRow {
  const { counts } = row
  const unsettled = counts.rejected === undefined ? 0 : rejected - counts.rejected
  if (unsettled <= 0) return { ...row, counts: { ...counts, checkpoints } }
  const left = counts.unsettled && Math.max(0, counts.unsettled - unsettled)
  return { ...row, counts: { ...counts, rejected, unsettled: left, checkpoints } }
}
