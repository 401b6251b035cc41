// All that a connector of Debezium captured, on one topic of a real broker: each change goes to the table of its source, deletes
// too, and what is no row is ignored. Against the final rows that were written down by hand (spec/debezium/*.json).

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { describeStream } from './driver.ts'
import { lastFigures } from './stream-process.ts'

const HEARTBEAT = { key: '{"serverName":"demo"}', value: '{"ts_ms":1}' }
const TABLES = ['audit', 'customers', 'documents', 'orders'] as const

interface Expected {
  readonly ignored: Readonly<Record<string, number>>
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

function file(name: string): string {
  return readFileSync(new URL(`../../spec/debezium/${name}`, import.meta.url), 'utf8')
}

/** With numbers as they are written. */
function exact(text: string): unknown {
  const keep = (_name: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? { number: context!.source! } : value
  return JSON.parse(text, keep)
}

/** Without its place, which is another one here. */
function shown(row: unknown): string {
  const { keys, ...fields } = row as Readonly<Record<string, unknown>>
  const own = Object.entries(fields).filter(([name]) => !name.startsWith('_kafka_'))
  return JSON.stringify([(keys as readonly string[]).length, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

describeStream('stream of a topic with changes of several tables', (driver) => {
  it.each(['full', 'plain'])('ends in the rows written down for the capture %s', async (name) => {
    const prefix = `${uniqueName('d').replaceAll(/[^A-Za-z0-9_]/g, '_')}_`
    const group = uniqueName('group')
    const captured = file(`${name}.jsonl`).trimEnd().split('\n')
    const records = captured.map((line) => JSON.parse(line) as { key: string | null; value: string | null })
    const topic = await driver.filled([HEARTBEAT, ...records.map(({ key, value }) => ({ key, value })), HEARTBEAT])
    const { topics } = exact(file(`${name}.json`)) as { topics: Readonly<Record<string, Expected>> }
    const of = (table: string) => topics[`demo-${name}.demo.${table}`]!

    const own = { 'demo.audit': { keys: { offset: true } } }
    const tables = { ...Object.fromEntries(TABLES.map((table) => [`demo.${table}`, {}])), ...own }
    const route = { by: { source: true }, tables }
    const policies = { truncate: 'ignore', unavailable: 'null' }
    await using process = await driver.start({
      group,
      topics: [{ topic, format: 'debezium', route, ...policies }],
      config: { table_prefix: prefix },
    })
    await driver.committedAre(group, topic, [BigInt(records.length + 2)], process)
    const { ignored: all } = lastFigures(await driver.stop(process)) as unknown as { ignored: number }
    const ignored = (JSON.parse(file(`${name}.json`)) as { topics: Readonly<Record<string, Expected>> }).topics
    const counts = Object.values(ignored).flatMap((one) => Object.values(one.ignored))
    expect(all).toBe(counts.reduce((sum, count) => sum + count, 2))
    for (const table of TABLES) {
      const rows = (await driver.rows(`${prefix}demo_${table}`)).map((row) => shown(exact(row)))
      expect(rows.toSorted(), table).toEqual(of(table).rows.map(shown).toSorted())
      expect(rows.length, table).toBeGreaterThan(0)
    }
  })
})
