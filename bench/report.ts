// Rows and verdicts as text for a terminal. Decides nothing.

import type { Verdict } from './judge.ts'
import type { Row } from './row.ts'

const HEAD = [
  'scenario',
  'program',
  'rec/s',
  'MB/s',
  'wall s',
  'CPU s',
  'peak RSS MB',
  'requests',
  'points/req',
  'server busy',
]

/** The measured rows as a table; 1 MB is 1,000,000 bytes. */
export function tableOfRows(rows: readonly Row[]): string {
  return table([HEAD, ...rows.map(cells)], 2)
}

/** A line a verdict, beginning with PASS or FAIL. */
export function tableOfVerdicts(verdicts: readonly Verdict[]): string {
  return table(
    verdicts.map(({ pass, scenario, says, found, bar }) => [pass ? 'PASS' : 'FAIL', scenario, says, found, bar]),
    Number.POSITIVE_INFINITY,
  )
}

function cells(row: Row): string[] {
  return [
    row.scenario,
    row.name,
    Math.round(row.records / row.seconds).toLocaleString('en-US'),
    (row.bytes / row.seconds / 1e6).toFixed(1),
    row.seconds.toFixed(2),
    row.cpuSeconds.toFixed(2),
    (row.peakRssBytes / 1e6).toFixed(0),
    row.requests.toLocaleString('en-US'),
    (row.records / row.requests).toFixed(1),
    `${(row.serverBusy * 100).toFixed(0)} %`,
  ]
}

/** Columns as wide as their widest cell, two spaces between; from column `right` on aligned to the right. */
function table(rows: readonly (readonly string[])[], right: number): string {
  const widths: number[] = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  const pad = (cell: string, i: number): string => (i < right ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
}
