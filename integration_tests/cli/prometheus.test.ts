// The recipe of docs/summary.md that makes Prometheus text of a summary, as it stands there: names, types and labels are those of
// /metrics, and promtool finds nothing to complain of.

import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { METRICS } from '../../src/telemetry/metric-list.ts'
import type { Summary } from '../../src/telemetry/summary/summary-schema.ts'
import { promtoolSays } from '../tools/test-parts/need-promtool.ts'
import { AS_USER, blocks, readPage, shell, trying } from './readme-commands.ts'

const HOSTILE = 'a"b\\c\nd\te}'
const OWN = 'analytics_run_exit_code'

/** As the page says, of a summary. */
async function textOf(summary: string): Promise<string> {
  const [command] = blocks(await readPage('docs/summary.md'), 'For Prometheus', 'sh')[0]!.split(' > ')
  expect(command).toMatch(/^jq .* summary\.json$/)
  return shell(command!.replace('summary.json', `'${summary}'`))
}

/** Type and labels of what /metrics has, by name. */
const THERE = new Map(METRICS.map(({ name, type, labels }) => [name, `${type} ${labels.join(',')}`]))

it('is Prometheus text with the names of /metrics, whatever streams are called', async (context) => {
  context.skip(spawnSync('jq', ['--version'], AS_USER).status !== 0, 'jq is not there')
  await trying(async (_, work) => {
    const entry = (name: string, table: string): object => {
      return { stream: { name, json_schema: {} }, sync_mode: 'incremental', destination_sync_mode: 'append', table }
    }
    const streams = [entry(HOSTILE, 'x'), entry('orders', 'orders')]
    const catalog = await work.file('catalog.json', JSON.stringify({ streams }))
    const record = (stream: string, id: number): string =>
      `${JSON.stringify({ type: 'RECORD', record: { stream, data: id === 0 ? { keys: 1, keys_: 1 } : { id }, emitted_at: id } })}\n`
    const lines = [...[1, 2, 0].map((id) => record(HOSTILE, id)), ...[1, 0, 0].map((id) => record('orders', id))]
    const input = await work.file('messages.jsonl', lines.join(''))
    const summary = `${work.path}/summary.json`
    const rest = `--config '${work.path}/divert.json' --catalog '${catalog}' --summary '${summary}' < '${input}'`
    await shell(`node src/start.js write ${rest}`)
    const text = await textOf(summary)
    expect(await promtoolSays(context, ['check', 'metrics'], text)).toBe('0 ')
    const label = `topic="a\\"b\\\\c\\nd\te}"`
    const settled = text.split('\n').filter((line) => line.startsWith('analytics_stream_settled_records_total{'))
    const table = (JSON.parse(await readFile(summary, 'utf8')) as Summary).rows[0]!.table!
    expect(settled).toEqual([
      `analytics_stream_settled_records_total{${label},table="${table}",result="written"} 2`,
      `analytics_stream_settled_records_total{${label},table="${table}",result="rejected"} 1`,
      'analytics_stream_settled_records_total{topic="orders",table="orders",result="written"} 1',
      'analytics_stream_settled_records_total{topic="orders",table="orders",result="rejected"} 2',
    ])
    expect(text).toContain(`${OWN}{command="write"} 0\n`)
    const types = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name, type]) => [name!, type!])
    expect(types.length).toBeGreaterThan(3)
    for (const [name, type] of types) {
      if (name === OWN) continue
      const [, labels] = new RegExp(`^${name!}\\{(\\w+=".*)\\} \\d+$`, 'm').exec(text)!
      const named = Array.from(labels!.matchAll(/(?:^|",)(\w+)="/g), ([, one]) => one)
      expect(THERE.get(name!)).toBe(`${type!} ${named.join(',')}`)
    }
  })
})

it('tells a run that was killed, of topics that share a table, with what became of tombstones', async (context) => {
  context.skip(spawnSync('jq', ['--version'], AS_USER).status !== 0, 'jq is not there')
  await trying(async (_, work) => {
    const row = (name: string, table: string | null, counts: object, attempts: number): object => {
      return { name, table, counts, attempts, requests: 0 }
    }
    const rows = [
      row('a', 't', { records: 0, written: 0, ignored: 2, bytes: 5 }, 3),
      row('b', 't', { records: 7 }, 4),
      row('c', null, { rowless: 1, tableless: 6 }, 0),
    ]
    const text = await textOf(await work.file('s.json', JSON.stringify({ command: 'stream', exit_code: null, rows })))
    expect(await promtoolSays(context, ['check', 'metrics'], text)).toBe('0 ')
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'analytics_run_exit_code{command="stream"} -1',
      'analytics_stream_read_records_total{topic="a",table="t"} 0',
      'analytics_stream_read_records_total{topic="b",table="t"} 7',
      'analytics_stream_settled_records_total{topic="a",table="t",result="written"} 0',
      'analytics_stream_settled_records_total{topic="a",table="t",result="ignored"} 2',
      'analytics_stream_settled_records_total{topic="c",table="",result="tombstone_without_a_row"} 1',
      'analytics_stream_settled_records_total{topic="c",table="",result="delete_without_a_table"} 6',
      'analytics_stream_request_attempts_total{table=""} 0',
      'analytics_stream_request_attempts_total{table="t"} 7',
      'analytics_stream_delivered_requests_total{table=""} 0',
      'analytics_stream_delivered_requests_total{table="t"} 0',
    ])
  })
})
