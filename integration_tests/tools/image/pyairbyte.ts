// PyAirbyte, as it is on PyPI, with the image in place of an executable: it calls the engine's client itself.

import assert from 'node:assert/strict'
import { drive } from '../pyairbyte/drive.ts'
import { assertSameRows, keyedBy, newest } from '../pyairbyte/rows.ts'
import { readRecords, Stage as PyAirbyteStage } from '../pyairbyte/stage.ts'
import { CanNotTry } from '../results/attempts.ts'
import { findPart, partsFolder } from '../test-parts/part.ts'
import { pyairbyte, sourceFaker } from '../test-parts/python-parts.ts'
import { TAG } from './build-image.ts'
import type { Docker } from './docker.ts'
import type { Scene } from './scene.ts'

const USERS = 100
const SOURCE = { name: 'source-faker', config: { count: USERS } }

export async function worksWithPyAirbyte({ docker }: Scene): Promise<void> {
  const { env, signal } = docker
  // it mounts folders of this machine, and the local service listens on this machine only
  if (process.platform !== 'linux' || /^(?!unix:)/.test(env['DOCKER_HOST'] ?? 'unix:'))
    throw new CanNotTry('the engine is not on this machine')
  const root = partsFolder(process.env)
  const [library, source] = await Promise.all([findPart(root, pyairbyte), findPart(root, sourceFaker)])
  if (library === undefined || source === undefined)
    throw new CanNotTry('PyAirbyte is not there, `npm run fetch:test-parts` gets it')
  await using stage = await PyAirbyteStage.set({ parts: { pyairbyte: library, sourceFaker: source }, signal, env })
  const before = await containers(docker)

  const config = stage.config()
  const wrong = { ...config, api_key: 'another-key' }
  const write = { cache: false, state_cache: false, write_strategy: 'merge' } as const
  const { results, captures } = await drive(stage, [
    { image: TAG, config },
    { image: TAG, config: wrong },
    { image: TAG, config, source: SOURCE, write },
  ])
  assert.deepEqual(results[0], {})
  assert.equal(results[1]!.failed, 'AirbyteConnectorCheckFailedError')
  assert.match(results[1]!.message!, /401 for client \d+/)
  const { failed, message, states } = results[2]!
  assert.equal(failed, undefined, message)
  const sent = await readRecords(`${captures[2]}.read`)
  assert.equal(sent.get('users')!.length, USERS)
  assert.deepEqual(states, [...sent.keys()].toSorted())
  const tables = await stage.tables(config)
  for (const [stream, records] of sent)
    assertSameRows(keyedBy(['id'], tables.get(stream)!), newest(records, ['id']), stream)
  assert.deepEqual(await containers(docker), before, 'a container is left')
}

async function containers(docker: Docker): Promise<string[]> {
  const ids = await docker.output(['ps', '--all', '--quiet', '--filter', `ancestor=${TAG}`])
  return ids.split('\n').toSorted()
}
