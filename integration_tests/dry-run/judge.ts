// Whether a dry run said what the run that follows does at a service without faults and with fresh tables.

import { expect } from 'vitest'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import type { Summary } from '../../src/telemetry/summary/summary-schema.ts'

/** @param rows as they are stored, by table */
export function judge(dry: DryRun, told: Summary, rows: ReadonlyMap<string, readonly string[]>): void {
  expect(dry.result).toBe(told.result)
  expect(dry.rows).toEqual(
    told.rows.map(({ name, table, digest, counts, fields }) => {
      return { name, table, digest, records: counts.records ?? 0, rejected: counts.rejected ?? 0, fields }
    }),
  )
  expect(dry.rejected).toEqual(told.rejected.filter(({ by }) => by === 'rejected'))
  for (const table of dry.tables) {
    const stored = rows.get(table.table) ?? []
    expect([table.table, table.rows, table.rows_exact]).toEqual([table.table, stored.length, true])
    const of = told.rows.filter((row) => row.table === table.table)
    const sum = (figure: (row: Summary['rows'][number]) => number | undefined): number =>
      of.reduce((all, row) => all + (figure(row) ?? 0), 0)
    const sent = sum(({ counts }) => counts.rows)
    expect(sent).toBeGreaterThanOrEqual(table.rows_sent.at_least)
    expect(sent).toBeLessThanOrEqual(table.rows_sent.at_most)
    expect(sum(({ requests }) => requests)).toBeGreaterThanOrEqual(table.requests_at_least)
    expect(sum(({ counts }) => counts.bytes)).toBeGreaterThanOrEqual(table.bytes_at_least)
    const largest = Math.max(0, ...stored.map((row) => Buffer.byteLength(row)))
    const bytes = table.largest_record?.bytes ?? 0
    // one that was replaced may have been larger
    if (table.rows === table.rows_sent.at_most) expect(bytes).toBe(largest)
    else expect(bytes).toBeGreaterThanOrEqual(largest)
  }
}
