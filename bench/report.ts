// Rows and verdicts as text for a terminal. Decides nothing.

import { textTable } from '../src/text/text-table.ts'
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
  'server busy %',
]

/** The measured rows as a table; 1 MB is 1,000,000 bytes. */
export function tableOfRows(rows: readonly Row[]): string {
  return `${textTable(HEAD, rows.map(cells), Number.POSITIVE_INFINITY)}\n`
}

/** A line a verdict, beginning with PASS or FAIL. */
export function tableOfVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ pass, scenario, says, found, bar }) => [
    pass ? 'PASS' : 'FAIL',
    scenario,
    says,
    found,
    bar,
  ])
  const [, , ...lines] = textTable(Array<string>(5).fill(''), rows, Number.POSITIVE_INFINITY).split('\n')
  return lines.map((line) => `${line}\n`).join('')
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
    (row.serverBusy * 100).toFixed(0),
  ]
}
