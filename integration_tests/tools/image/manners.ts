// What people and clusters do with the image beside a sync: look at it, run it as somebody else, mount folders.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { record, rows, state, statesOf, stream } from './messages.ts'
import type { Scene, Situation } from './scene.ts'
import { CONFIG, KEY } from './stage.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** Nobody, and one that a cluster made up: no such name in the image, group 0. */
const USERS = ['65534:65534', '1000710000:0']

export const MANNERS: Readonly<Record<string, Situation>> = {
  'it says of itself what the checkout says: help, version, examples, schemas': saysTheSame,
  'any user can run it': runsAsAnybody,
  'a dry run needs the catalog alone': looksBefore,
  '/data takes what its volume is for': keepsData,
  'write leaves its report in a folder that is mounted': leavesReport,
}

async function saysTheSame({ stage }: Scene): Promise<void> {
  const printed = ['stream --example', 'onboard --example', 'stream --schema', 'explain service.key-refused']
  const all = ['--version', '--help', 'write --help', ...printed]
  // examples name the command that starts the image
  const env = { ...process.env, START_COMMAND: await stage.shell('echo "$START_COMMAND"') }
  for (const line of all) {
    const [said, { stdout }] = await Promise.all([
      stage.byEntryPoint(line.split(' ')),
      promisify(execFile)(process.execPath, [MAIN, ...line.split(' ')], { env }),
    ])
    assert.ok(stdout.length > 0)
    assert.deepEqual([said.code, said.stdout, said.stderr], [0, stdout, ''], line)
  }
}

async function runsAsAnybody({ stage }: Scene): Promise<void> {
  const write = ['write', '--config', '/dest/connectorConfig.json', '--catalog', '/dest/catalog.json']
  for (const [index, user] of USERS.entries()) {
    const name = `somebody_${index}`
    await stage.provide(CONFIG, { streams: [stream(name, 'append_dedup')] })
    const input = [record(name, '{"id":1}'), state(name, '"cursor":1', 1)]
    const done = await stage.byEntryPoint(write, { input: `${input.join('\n')}\n`, options: ['--user', user] })
    assert.equal(done.code, 0, done.stdout + done.stderr)
    assert.equal(done.stderr, '')
    assert.deepEqual(statesOf(done, name), [[1, '"cursor":1']])
    assert.deepEqual(await rows(stage, name), ['{"keys":["id"],"id":1}'])
  }
}

async function looksBefore({ stage }: Scene): Promise<void> {
  await stage.provide(CONFIG, { streams: [stream('looked_at', 'append_dedup')] })
  const input = ['{"id":1}', '{"id":1.0}', '{"id":"1"}'].map((data) => record('looked_at', data))
  const command = ['write', '--dry-run', '--catalog', '/dest/catalog.json']
  const done = await stage.byEntryPoint(command, { input: `${input.join('\n')}\n` })
  assert.deepEqual([done.code, done.stderr], [0, ''], done.stdout)
  assert.match(done.stdout, /^looked_at +looked_at +3 +0 +2 +2 to 3 /m)
}

async function keepsData({ stage }: Scene): Promise<void> {
  for (const user of ['1000:1000', '1000710000:0']) {
    const options = ['--user', user, '--mount', 'type=volume,destination=/data', '--entrypoint', 'sh']
    const done = await stage.byEntryPoint(['-c', 'echo kept >/data/file && cat /data/file'], { options })
    assert.deepEqual([done.code, done.stdout, done.stderr], [0, 'kept\n', ''], user)
  }
}

async function leavesReport({ stage }: Scene): Promise<void> {
  await stage.provide(CONFIG, { streams: [stream('reported', 'append_dedup')] })
  const input = [record('reported', '{"id":1,"text":"told nobody"}'), state('reported', '"cursor":1', 1)]
  const done = await stage.asPlatform('write', {
    input: `${input.join('\n')}\n`,
    more: '--report /dest/report.html',
  })
  assert.equal(done.code, 0, done.stdout + done.stderr)
  const report = await stage.shell('cat report.html')
  assert.match(report, /^<!doctype html>/i)
  assert.ok(report.includes('reported'), 'the stream is not in it')
  for (const secret of [KEY, 'told nobody']) assert.ok(!report.includes(secret), `${secret} is in it`)
}
