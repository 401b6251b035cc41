// What the image must do, one situation a function. Each throws when it does not.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { TAG } from './build-image.ts'
import type { Docker } from './docker.ts'
import { CONFIG } from './stage.ts'
import type { Finished, Stage } from './stage.ts'

interface Scene {
  readonly docker: Docker
  readonly stage: Stage
}

interface Manifest {
  readonly version: string
}

const checkoutFile = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const json = async <T>(path: string): Promise<T> => JSON.parse(await checkoutFile(path)) as T

export const SITUATIONS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'the image says who it is and starts the same way by entry point and by shell': saysWhoItIs,
  'the image holds what runs and nothing else': holdsOnlyWhatRuns,
  'spec prints the specification': printsSpec,
  'check succeeds against the local service': checkSucceeds,
  'check fails, with exit 0, for a wrong key': checkFails,
  'write delivers a sync through named pipes, rows and states': writes,
  'write delivers the rows of a real source byte for byte': writesCapture,
  'write ends with one error and exit 1 for a stream that is not in the catalog': writeFails,
  'docker stop ends write with 143 after what was earned': writeStops,
}

async function saysWhoItIs({ docker }: Scene): Promise<void> {
  const format = '{{json .Config}}'
  const image = JSON.parse(await docker.output(['image', 'inspect', '--format', format, TAG])) as {
    User: string
    WorkingDir: string
    Entrypoint: string[]
    Env: string[]
    Labels: Record<string, string>
  }
  const { version } = await json<Manifest>('package.json')
  assert.equal(image.User, '1000:1000')
  assert.equal(image.WorkingDir, '/airbyte/integration_code')
  assert.deepEqual(image.Entrypoint, ['/usr/local/bin/node', '/airbyte/integration_code/dist/main.js'])
  assert.ok(image.Env.includes(`AIRBYTE_ENTRYPOINT=${image.Entrypoint.join(' ')}`))
  assert.ok(image.Env.includes('NODE_ENV=production'))
  assert.equal(image.Labels['io.airbyte.name'], 'destination-analytics-service')
  assert.equal(image.Labels['io.airbyte.version'], version)
  assert.equal(image.Labels['org.opencontainers.image.version'], version)
}

async function holdsOnlyWhatRuns({ stage }: Scene): Promise<void> {
  const home = '/airbyte/integration_code'
  const files = ['LICENSE', 'dist', 'node_modules', 'package-lock.json', 'package.json', 'spec']
  assert.deepEqual((await stage.shell(`ls ${home}`)).split('\n').toSorted(), files)
  interface Lock {
    readonly packages: Record<string, { dev?: boolean }>
  }
  const locked = Object.entries((await json<Lock>('package-lock.json')).packages)
  const runtime = locked.filter(([path, { dev }]) => path !== '' && dev !== true).map(([path]) => path)
  const installed = JSON.parse(await stage.shell(`cat ${home}/node_modules/.package-lock.json`)) as Lock
  assert.deepEqual(Object.keys(installed.packages).toSorted(), runtime.toSorted())
  assert.equal(await stage.shell(`find ${home}/dist ${home}/spec -name '*.ts' -o -name '*.test.*'`), '')
  assert.equal(await stage.shell(`find ${home} -writable ! -type l`), '')
  assert.equal(await stage.shell('ls -A /home/node /tmp | grep -i npm || true'), '')
}

async function printsSpec({ stage }: Scene): Promise<void> {
  const done = await stage.asPlatform('spec')
  assert.deepEqual({ code: done.code, stderr: done.stderr }, { code: 0, stderr: '' })
  assert.deepEqual(done.messages, [{ type: 'SPEC', spec: await json('spec/connector-specification.json') }])
}

async function checkSucceeds({ stage }: Scene): Promise<void> {
  await stage.provide(CONFIG)
  assert.equal(connectionStatus(await stage.asPlatform('check')), 'SUCCEEDED')
}

async function checkFails({ stage }: Scene): Promise<void> {
  await stage.provide({ ...CONFIG, api_key: 'another-key' })
  const done = await stage.asPlatform('check')
  assert.equal(connectionStatus(done), 'FAILED')
  assert.ok(!`${done.stdout}${done.stderr}`.includes('another-key'), 'the key is in the output')
}

function connectionStatus(done: Finished): unknown {
  assert.equal(done.code, 0, done.stderr)
  const statuses = done.messages.filter(({ type }) => type === 'CONNECTION_STATUS')
  assert.equal(statuses.length, 1, done.stdout)
  return (statuses[0]!['connectionStatus'] as { status: unknown }).status
}

async function writes({ stage }: Scene): Promise<void> {
  const input = [
    record('letters', '{"id":12345678901234567890,"text":"Zoë"}'),
    record('letters', '{"id":2,"text":"first","price":1.10}'),
    state('letters', '"cursor":9007199254740993', 2),
    record('letters', '{"id":2,"text":"second","price":1.0}'),
    record('visits', '{"page":"/"}'),
    record('visits', '{"page":"/"}'),
    state('visits', '"cursor":null', 2),
    state('letters', '"cursor":9007199254740995', 1),
  ]
  await stage.provide(CONFIG, { streams: [stream('letters', 'append_dedup'), stream('visits', 'append')] })
  const done = await stage.asPlatform('write', `${input.join('\n')}\n`)
  assert.equal(done.code, 0, done.stdout + done.stderr)
  assert.equal(done.stderr, '')
  assert.deepEqual(statesOf(done, 'letters'), [
    [2, '"cursor":9007199254740993'],
    [1, '"cursor":9007199254740995'],
  ])
  assert.deepEqual(statesOf(done, 'visits'), [[2, '"cursor":null']])
  assert.deepEqual(await rows(stage, 'letters'), [
    '{"keys":["id"],"id":12345678901234567890,"text":"Zoë"}',
    '{"keys":["id"],"id":2,"text":"second","price":1.0}',
  ])
  assert.equal((await rows(stage, 'visits')).length, 2)
}

async function writesCapture({ stage }: Scene): Promise<void> {
  const messages = await checkoutFile('spec/captures/faker/messages.jsonl')
  await stage.provide(CONFIG, await json('spec/captures/faker/catalog.json'))
  const done = await stage.asPlatform('write', messages)
  assert.equal(done.code, 0, done.stdout + done.stderr)
  const lines = messages.split('\n')
  const count = (type: string): number => lines.filter((line) => line.startsWith(`{"type":"${type}"`)).length
  assert.equal(done.messages.filter(({ type }) => type === 'STATE').length, count('STATE'))
  const expected = lines.flatMap((line) => {
    const match =
      /^\{"type":"RECORD","record":\{"stream":"(\w+)","data":\{("id":\d+),(.*)\},"emitted_at":\d+\}\}$/.exec(line)
    return match === null ? [] : [{ table: match[1]!, id: match[2]!, row: `{"keys":["id"],${match[2]},${match[3]}}` }]
  })
  assert.equal(expected.length, count('RECORD'))
  for (const [table, records] of Object.entries(Object.groupBy(expected, ({ table }) => table))) {
    const latest = new Map(records!.map(({ id, row }) => [id, row]))
    assert.deepEqual((await rows(stage, table)).toSorted(), [...latest.values()].toSorted())
  }
}

async function writeFails({ stage }: Scene): Promise<void> {
  await stage.provide(CONFIG, { streams: [stream('known', 'append_dedup')] })
  const input = [record('known', '{"id":1}'), state('known', '"cursor":1', 1), record('unknown', '{"id":2}')]
  const done = await stage.asPlatform('write', `${input.join('\n')}\n`)
  assert.equal(done.code, 1, done.stdout + done.stderr)
  assert.equal(done.messages.filter(({ type }) => type === 'TRACE').length, 1, done.stdout)
  assert.deepEqual(statesOf(done, 'known'), [[1, '"cursor":1']])
}

async function writeStops({ stage }: Scene): Promise<void> {
  await stage.provide(CONFIG, { streams: [stream('stopped', 'append_dedup')] })
  const input = [record('stopped', '{"id":1}'), state('stopped', '"cursor":1', 1), record('stopped', '{"id":2}')]
  const done = await stage.stoppedWrite(`${input.join('\n')}\n`, (stdout) => stdout.includes('"STATE"'))
  assert.equal(done.code, 143, done.stdout + done.stderr)
  assert.deepEqual(statesOf(done, 'stopped'), [[1, '"cursor":1']])
  assert.ok((await rows(stage, 'stopped')).includes('{"keys":["id"],"id":1}'))
}

function record(stream: string, data: string): string {
  return `{"type":"RECORD","record":{"stream":"${stream}","data":${data},"emitted_at":1763700000000}}`
}

function state(stream: string, members: string, recordCount: number): string {
  const inner = `"stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{${members}}}`
  return `{"type":"STATE","state":{"type":"STREAM",${inner},"sourceStats":{"recordCount":${recordCount}.0},"id":1}}`
}

function stream(name: string, mode: string): unknown {
  return {
    stream: {
      name,
      json_schema: { type: 'object', properties: { id: { type: 'integer' } } },
      supported_sync_modes: [],
    },
    sync_mode: 'incremental',
    destination_sync_mode: mode,
    cursor_field: [],
    ...(mode === 'append_dedup' ? { primary_key: [['id']] } : {}),
  }
}

/** Of each STATE of a stream, in order: the records it counts as written, and its own text. */
function statesOf(done: Finished, name: string): [number, string][] {
  return done.stdout.split('\n').flatMap((line): [number, string][] => {
    if (!line.includes('"type":"STATE"') || !line.includes(`"name":"${name}"`)) return []
    const { state } = JSON.parse(line) as { state: { destinationStats: { recordCount: number }; id: number } }
    assert.equal(state.id, 1)
    return [[state.destinationStats.recordCount, /"stream_state":\{(.*?)\}/.exec(line)![1]!]]
  })
}

/** A table's rows as texts, first arrival first. */
async function rows(stage: Stage, table: string): Promise<string[]> {
  const text = await stage.ask(`/_local/tables/${table}?client_id=7`)
  return text
    .trim()
    .replace(/^\[|\]$/g, '')
    .split(',\n')
    .map((row) => row.trim())
}
