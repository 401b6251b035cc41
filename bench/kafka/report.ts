// Rows on a broker as text for a terminal. Decides nothing.

import { textTable } from '../../src/text/text-table.ts'
import type { KafkaRow } from './kafka-row.ts'

const HEADINGS = [
  'scenario',
  'program',
  'members',
  'messages',
  'msg/s',
  'msg/s steady',
  'wall s',
  'CPU s',
  'peak RSS MB',
  'requests',
  'points/req',
  'again',
  'server busy %',
]

/** msg/s from the start of the processes on, `steady` from the first point on; 1 MB is 1,000,000 bytes. */
export function tableOfKafkaRows(rows: readonly KafkaRow[]): string {
  return textTable(HEADINGS, rows.map(cells), Number.POSITIVE_INFINITY)
}

function cells(row: KafkaRow): string[] {
  return [
    row.scenario,
    row.program,
    `${row.members}`,
    whole(row.messages),
    whole(row.rate),
    whole(row.steadyRate),
    row.seconds.toFixed(2),
    row.cpuSeconds.toFixed(2),
    (row.peakRssBytes / 1e6).toFixed(0),
    whole(row.requests),
    ((row.messages + row.again) / row.requests).toFixed(1),
    whole(row.again),
    (row.serverBusy * 100).toFixed(0),
  ]
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
