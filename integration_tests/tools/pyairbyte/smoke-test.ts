// PyAirbyte's own smoke test of a destination, and afterwards what it does not look at: the rows.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assertSameRows, keyedBy, keyedByRawId, newest, type Data } from './rows.ts'
import { EXECUTABLE, readRecords, type Stage } from './stage.ts'

/** Of the pinned version, the preflight's among them. */
const STREAMS = 23

interface Verdict {
  readonly success: boolean
  readonly preflight_passed: boolean
  readonly namespace: string
  readonly records_delivered: number
  readonly error: string | null
}

interface SourceStream {
  readonly name: string
  readonly source_defined_primary_key?: string[][] | null
}

export async function tryScenarios(stage: Stage): Promise<void> {
  const folder = await stage.work()
  const config = { ...stage.config(), older_rows: 'keep' }
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(config))
  const destination = stage.program(EXECUTABLE)
  const args = ['destination-smoke-test', '--destination', destination, '--config', file, '--scenarios', 'all']
  const done = await stage.run('pyab', args, folder)
  assert.equal(done.code, 0, done.stderr)
  const { namespace, ...verdict } = JSON.parse(done.stdout.slice(done.stdout.indexOf('{'))) as Verdict
  assert.deepEqual([verdict.success, verdict.preflight_passed, verdict.error], [true, true, null])

  const sent = await readRecords(join(folder, 'capture.read'))
  const streams = await discovered(join(folder, 'capture.discover'))
  assert.equal(streams.length, STREAMS)
  const total = [...sent].reduce(
    (sum, [name, records]) => sum + (name.startsWith('_preflight') ? 0 : records.length),
    0,
  )
  assert.equal(verdict.records_delivered, total)

  const tables = await stage.tables(config)
  for (const { name, source_defined_primary_key: path } of streams) {
    const table = `${namespace}_${name}`.replaceAll(/[^A-Za-z0-9_]/g, '_')
    const [records, rows] = [sent.get(name) ?? [], tables.get(table) ?? []]
    tables.delete(table)
    const key = path?.map(([field]) => field!)
    if (key) assertSameRows(keyedBy(key, rows), newest(records, key), table)
    // without a key PyAirbyte asks to overwrite: such rows tell their generation
    else assertSameRows(keyedByRawId(rows), records.map(ofGeneration), table)
  }
  assert.deepEqual([...tables.keys()], [], 'tables of no stream')
}

const ofGeneration = (data: Data): Data => ({ ...data, _airbyte_generation_id: 1n })

async function discovered(capture: string): Promise<SourceStream[]> {
  interface CatalogMessage {
    readonly type: string
    readonly catalog: { readonly streams: SourceStream[] }
  }
  const lines = (await readFile(capture, 'utf8')).split('\n').filter((line) => line.startsWith('{'))
  const messages = lines.map((line) => JSON.parse(line) as CatalogMessage)
  const streams = messages.flatMap(({ type, catalog }) => (type === 'CATALOG' ? catalog.streams : []))
  return [...new Map(streams.map((stream) => [stream.name, stream])).values()]
}
