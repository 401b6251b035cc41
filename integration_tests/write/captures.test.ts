// Streams captured from real sources arrive complete, byte for byte, also while the service misbehaves.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import type { Fault } from '../../src/local-service/types.ts'
import { run, workFolder } from '../connector.ts'
import { argsOf } from './driver.ts'

const CAPTURES = ['faker', 'file', 'pyairbyte-direct', 'pyairbyte-through-cache']

const FAULTS: Record<string, Fault[]> = {
  'a healthy service': [],
  'a service that fails, throttles and resets connections in turn': [
    { every: 5, answer: { status: 500 } },
    { every: 7, answer: { status: 429, headers: { 'retry-after': '0.05' } } },
    { every: 9, reset: 'after' },
  ],
}

interface Stream {
  readonly stream: { name: string; source_defined_primary_key?: string[][] | null }
  readonly destination_sync_mode: string
  readonly primary_key?: string[][] | null
}

/** The text of a record's data in its line, found without the connector's own scanner. */
function dataText(line: string): string {
  const from = line.search(/"data":\s*\{/)
  const start = line.indexOf('{', from)
  let depth = 0
  let quoted = false
  for (let at = start; at < line.length; at++) {
    const c = line[at]
    if (quoted && c === '\\') at++
    else if (c === '"') quoted = !quoted
    else if (!quoted && c === '{') depth++
    else if (!quoted && c === '}' && --depth === 0) return line.slice(start, at + 1)
  }
  throw new Error('no data')
}

/** What the tables must hold: the last record of each key as it was sent, or every record. */
function expected(lines: readonly string[], streams: readonly Stream[]): Map<string, string[]> {
  const tables = new Map(streams.map(({ stream }) => [stream.name, new Map<string, string>()]))
  for (const [index, line] of lines.entries()) {
    const { type, record } = JSON.parse(line) as {
      type: string
      record: { stream: string; data: Record<string, unknown> }
    }
    if (type !== 'RECORD') continue
    const stream = streams.find(({ stream }) => stream.name === record.stream)!
    const key =
      stream.destination_sync_mode === 'append_dedup'
        ? JSON.stringify(stream.primary_key!.map(([field]) => record.data[field!]))
        : String(index)
    tables.get(record.stream)!.set(key, dataText(line))
  }
  return new Map([...tables].map(([name, rows]) => [name, [...rows.values()].sort()]))
}

/** A row's own members: without `keys` and the id in front. */
const dataOf = (row: string): string => `{${row.replace(/^\{"keys":\[[^\]]*\],(?:"_airbyte_raw_id":"[^"]*",)?/, '')}`

describe.each(CAPTURES)('%s', (name) => {
  it.each(Object.entries(FAULTS))('arrives complete with %s', async (_fault, faults) => {
    const folder = new URL(`../../spec/captures/${name}/`, import.meta.url)
    const input = await readFile(new URL('messages.jsonl', folder), 'utf8')
    const catalog = JSON.parse(await readFile(new URL('catalog.json', folder), 'utf8')) as { streams: Stream[] }
    await using service = await startLocalService()
    await using work = await workFolder()
    for (const fault of faults) service.fault(fault)
    const config = { max_points: 10, late_write_guard_seconds: 0 }
    const done = await run(await argsOf(service, work, catalog.streams, config), input)
    expect(done.stderr).toBe('')
    expect(done.code).toBe(0)
    const lines = input.split('\n').filter((line) => line !== '')
    for (const [table, rows] of expected(lines, catalog.streams)) {
      expect(service.rows(table).map(dataOf).sort()).toEqual(rows)
    }
    const sent = lines.filter((line) => (JSON.parse(line) as { type: string }).type === 'STATE')
    expect(byStream(done.states)).toEqual(byStream(sent))
    const counted = done.states.reduce(
      (sum, line) =>
        sum +
        (JSON.parse(line) as { state: { destinationStats: { recordCount: number } } }).state.destinationStats
          .recordCount,
      0,
    )
    if (sent.length > 0) expect(counted).toBe(lines.filter((line) => line.includes('"RECORD"')).length)
  })
})

/** A STATE line without its destinationStats, whether null, counted or inserted. */
const withoutStats = (line: string): string => line.replace(/,?"destinationStats":(?:null|\{[^}]*\})/, '')

/** Each stream's states in order: states of different streams may overtake each other. */
function byStream(states: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(Map.groupBy(states.map(withoutStats), (line) => /"name":"([^"]*)"/.exec(line)![1]!))
}
