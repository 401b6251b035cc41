// What the image must do, one situation a function, and all of them in order. Here: the commands a platform runs.

import assert from 'node:assert/strict'
import { passesConnectorSuite } from './connector-suite.ts'
import { CONTENTS } from './contents.ts'
import { MANNERS } from './manners.ts'
import { record, rows, state, statesOf, stream } from './messages.ts'
import { writesInLittleRoom } from './narrow.ts'
import { worksWithPyAirbyte } from './pyairbyte.ts'
import { checkoutFile, type Scene, type Situation } from './scene.ts'
import { CONFIG, type Finished } from './stage.ts'

const json = async <T>(path: string): Promise<T> => JSON.parse(await checkoutFile(path)) as T

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  ...CONTENTS,
  'spec prints the specification': printsSpec,
  'check succeeds against the local service': checkSucceeds,
  'check fails, with exit 0, for a wrong key': checkFails,
  'write delivers a sync through named pipes, rows and states': writes,
  'write delivers the rows of a real source byte for byte': writesCapture,
  'write ends with one error and exit 1 for a stream that is not in the catalog': writeFails,
  'docker stop ends write with 143 after what was earned': writeStops,
  ...MANNERS,
  'a million records go through 256 MB and half a processor': writesInLittleRoom,
  'PyAirbyte runs it by docker_image: check, and every record of a source is a row': worksWithPyAirbyte,
  'it passes the suite that airbyte-cdk ships for connectors': passesConnectorSuite,
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
  const done = await stage.asPlatform('write', { input: `${input.join('\n')}\n` })
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
  const done = await stage.asPlatform('write', { input: messages })
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
  const done = await stage.asPlatform('write', { input: `${input.join('\n')}\n` })
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
