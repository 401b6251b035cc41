// What must come of it when PyAirbyte runs our executable, one situation a function. Each throws when it does not.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drive, type Write } from './drive.ts'
import { assertSameRows, keyedBy, keyedByRawId, newest, type Data } from './rows.ts'
import { tryScenarios } from './smoke-test.ts'
import { EXECUTABLE, readRecords, TEED_EXECUTABLE, type Config, type Stage } from './stage.ts'

export type Situation = (stage: Stage) => Promise<void>

const USERS = 100
const FAKER = { name: 'source-faker', config: { count: USERS } }
const STREAMS = ['products', 'purchases', 'users']
const KEY = ['id']
const KEYLESS = 'schema_with_no_primary_key'
const KEYLESS_SOURCE = {
  name: 'source-smoke-test',
  config: { all_fast_streams: false, scenario_filter: [KEYLESS] },
}
const UNCACHED = { cache: false, state_cache: false } as const

/** The longest first, for they run side by side. */
export const SITUATIONS: Readonly<Record<string, Situation>> = {
  'destination-smoke-test passes in all scenarios and leaves the rows of its source': tryScenarios,
  'write without cache: append makes every record a row, merge and auto keep one row a key': writesUncached,
  'a stream that is to be overwritten is refused, and the way out that the message names works': refuses,
  'write through its cache, append: every record of the source is a row': cached('append'),
  'write through its cache, merge: one row a key, the newest': cached('merge'),
  'write through its cache, auto: one row a key, the newest': cached('auto'),
  'the example in docs/pyairbyte.md works as it is written': runsExample,
  'check succeeds, and fails for a wrong key in our words': checks,
}

/** Afterwards. */
export const LAST: Readonly<Record<string, Situation>> = {
  'nobody asked for an address beyond this machine': async ({ outside }) => assert.deepEqual(outside.asked, []),
}

async function checks(stage: Stage): Promise<void> {
  const config = stage.config()
  const step = { executable: EXECUTABLE, config }
  const wrong = { executable: EXECUTABLE, config: { ...config, api_key: 'another-key' } }
  const { results } = await drive(stage, [step, wrong])
  assert.deepEqual(results[0], {})
  const { failed, message = '' } = results[1]!
  assert.equal(failed, 'AirbyteConnectorCheckFailedError')
  assert.match(message, /401 for client \d+ .*Check that api_key is the import key of client_id \d+/)
  assert.ok(!message.includes('another-key'), 'the key is in the message')
}

type Strategy = 'append' | 'merge' | 'auto'

async function writesUncached(stage: Stage): Promise<void> {
  const twice = (['append', 'merge', 'auto'] as const).map((strategy) => ({
    strategy,
    step: fakerStep(EXECUTABLE, stage.config(), { ...UNCACHED, write_strategy: strategy }),
  }))
  const runs = await writeFaker(
    stage,
    twice.flatMap(({ step }) => [step, step]),
  )
  for (const [index, { strategy, step }] of twice.entries()) {
    const tables = await tablesOfFaker(stage, step)
    for (const stream of STREAMS) {
      const sent = runs.slice(2 * index, 2 * index + 2).flatMap(({ read }) => read.get(stream)!)
      const [rows, expected] = kept(strategy, tables.get(stream)!, sent)
      assertSameRows(rows, expected, `${stream} (${strategy})`)
    }
  }
}

function cached(strategy: Strategy): Situation {
  return async (stage) => {
    const step = fakerStep(TEED_EXECUTABLE, stage.config(), { write_strategy: strategy })
    const runs = await writeFaker(stage, [step, step])
    const written = await Promise.all(runs.map(async ({ capture }) => readRecords(`${capture}.write`)))
    const tables = await tablesOfFaker(stage, step)
    for (const stream of STREAMS) {
      const sent = runs.flatMap(({ read }) => read.get(stream)!)
      const [rows, fromSource] = kept(strategy, tables.get(stream)!, sent)
      // what the destination was given: in append the second run brings the rows of the first once more, byte for byte
      const given = written.flatMap((records) => records.get(stream)!)
      assertSameRows(rows, newest(given, strategy === 'append' ? ['_airbyte_raw_id'] : KEY), stream)
      assertSameRows(rows.map(withoutCache), fromSource.map(withoutCache), `${stream}, beside what the source said`)
    }
  }
}

/** The rows without keys and row ids of ours, and the source's records that must be rows. */
function kept(strategy: Strategy, rows: readonly Data[], sent: readonly Data[]): [Data[], readonly Data[]] {
  return strategy === 'append' ? [keyedByRawId(rows), sent] : [keyedBy(KEY, rows), newest(sent, KEY)]
}

/** What a record and its copy in PyAirbyte's cache have in common. */
function withoutCache(data: Data): Data {
  const members = Object.entries(data).filter(([name, value]) => !name.startsWith('_airbyte_') && value !== null)
  return Object.fromEntries(members.map(([name, value]) => [name, withoutNotation(value)]))
}

/** The cache drops zones and makes texts of decimals. */
function withoutNotation(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\+00:00$|(?<=^-?\d+)\.0{9}$/, '')
  return typeof value === 'bigint' ? String(value) : value
}

function fakerStep(executable: string, config: Config, write: Write['write']): Write {
  return { executable, config, source: FAKER, write }
}

interface FakerRun {
  readonly capture: string
  /** What the source said. */
  readonly read: Map<string, Data[]>
}

async function writeFaker(stage: Stage, steps: readonly Write[]): Promise<FakerRun[]> {
  const { results, captures } = await drive(stage, steps)
  const runs = await Promise.all(
    captures.map(async (capture) => ({ capture, read: await readRecords(`${capture}.read`) })),
  )
  for (const [run, { failed, message, records, states }] of results.entries()) {
    assert.equal(failed, undefined, message)
    assert.deepEqual(states, STREAMS)
    const { read } = runs[run]!
    assert.equal(read.get('users')!.length, USERS)
    const total = STREAMS.reduce((sum, stream) => sum + read.get(stream)!.length, 0)
    // through its cache PyAirbyte sends what is there already, too
    assert.ok(records! >= total, `${records} of ${total} records`)
  }
  return runs
}

async function tablesOfFaker(stage: Stage, { config }: Write): Promise<Map<string, Data[]>> {
  const tables = await stage.tables(config as Config)
  assert.deepEqual([...tables.keys()].toSorted(), STREAMS)
  return tables
}

async function refuses(stage: Stage): Promise<void> {
  const [config, unused] = [stage.config(), stage.config()]
  const step = (source: Write['source'], write_strategy: string, whose = config): Write => ({
    executable: EXECUTABLE,
    config: whose,
    source,
    write: { ...UNCACHED, write_strategy },
  })
  const steps = [step(KEYLESS_SOURCE, 'auto', unused), step(FAKER, 'replace', unused), step(KEYLESS_SOURCE, 'append')]
  const { results, captures, stderr } = await drive(stage, steps)
  for (const { failed, words = '' } of results.slice(0, 2)) {
    assert.equal(failed, 'AirbyteConnectorWriteError')
    for (const part of ['Stream "', 'overwrite', 'older_rows: keep', 'write_strategy="append"'])
      assert.ok(words.includes(part), `${part} is not in: ${words}`)
  }
  assert.ok(results[0]!.words!.includes(`"${KEYLESS}"`))
  // what a person sees without looking into a log
  assert.match(stderr.replaceAll(/\s+/g, ' '), /ERROR: Stream "[^"]*" asks for its older rows to be removed/)
  assert.deepEqual([...(await stage.tables(unused)).keys()], [])

  const sent = (await readRecords(`${captures[2]}.read`)).get(KEYLESS)!
  assert.deepEqual(results[2], { records: sent.length, states: [] })
  assertSameRows(keyedByRawId((await stage.tables(config)).get(KEYLESS)!), sent, KEYLESS)
}

async function runsExample(stage: Stage): Promise<void> {
  const folder = await stage.work()
  const example = await readFile(new URL('../../../spec/sample/pyairbyte.py', import.meta.url), 'utf8')
  const file = join(folder, 'example.py')
  await writeFile(file, example.replace('http://127.0.0.1:8585', stage.service.url))
  const done = await stage.run('python', [file], folder)
  assert.equal(done.code, 0, done.stderr)
  const sent = await readRecords(join(folder, 'capture.read'))
  for (const [table, rows] of await stage.tables({ client_id: 7 }))
    assertSameRows(keyedBy(KEY, rows), sent.get(table)!, table)
  assert.equal(sent.get('users')!.length, USERS)
}
