// The suite that airbyte-cdk ships for connectors of any language, on the image: it reads metadata.yaml and
// acceptance-test-config.yml, and calls the engine's client itself. One of its tests is left out: it asks the public registry of
// connectors for an earlier version of ours, and there is none.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startLocalService } from '../../../src/local-service/start.ts'
import { CanNotTry } from '../results/attempts.ts'
import { runGroup } from '../pyairbyte/run-group.ts'
import { findPart, partsFolder } from '../test-parts/part.ts'
import { pyairbyte, pytest } from '../test-parts/python-parts.ts'
import { TAG } from './build-image.ts'
import { checkoutFile, type Scene } from './scene.ts'

const SUITE = `from airbyte_cdk.test.standard_tests.docker_base import DockerConnectorTestSuite
class TestImage(DockerConnectorTestSuite): pass
`
const CONFIGS = [
  'spec/sample/config.json',
  ...['wrong-key', 'incomplete'].map((it) => `integration_tests/acceptance/${it}.json`),
]
const PASS = [
  'test_docker_image_build_and_check[config]',
  'test_docker_image_build_and_check[incomplete]',
  'test_docker_image_build_and_check[wrong-key]',
  'test_docker_image_build_and_config_matches_spec[config]',
  'test_docker_image_build_and_spec',
]

export async function passesConnectorSuite({ docker: { env, signal } }: Scene): Promise<void> {
  // it mounts files of this machine, and the local service listens on this machine only
  if (process.platform !== 'linux' || /^(?!unix:)/.test(env['DOCKER_HOST'] ?? 'unix:'))
    throw new CanNotTry('the engine is not on this machine')
  const [suite, runner] = await Promise.all([pyairbyte, pytest].map((part) => findPart(partsFolder(process.env), part)))
  if (suite === undefined || runner === undefined)
    throw new CanNotTry('PyAirbyte or pytest is not there, `npm run fetch:test-parts` gets them')
  await using service = await startLocalService({ clients: [{ id: 7, key: 'demo-key' }] })
  const above = await mkdtemp(join(tmpdir(), 'connector-suite-'))
  try {
    const folder = join(above, 'destination-analytics-service')
    await provide(folder, service.url, env['PATH'] ?? '')
    const lib = (await readdir(join(runner, 'lib'))).find((name) => name.startsWith('python3')) ?? ''
    const args = [
      '-m',
      'pytest',
      '-rA',
      '-p',
      'no:cacheprovider',
      '-k',
      'not backward_compatibility',
      '--connector-image',
      TAG,
    ]
    const { code, stdout, stderr } = await runGroup(join(suite, 'bin', 'python'), args, {
      cwd: folder,
      signal: AbortSignal.any([signal, AbortSignal.timeout(180_000)]),
      env: {
        ...env,
        PATH: `${join(folder, 'bin')}:${env['PATH']}`,
        PYTHONPATH: join(runner, 'lib', lib, 'site-packages'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    })
    assert.equal(code, 0, `${stdout}${stderr}`.slice(-3000))
    const passed = Array.from(
      stdout.matchAll(/^PASSED \S+::(\w+)(?:\['([\w-]+)' Test Scenario\])?$/gm),
      ([, test, of]) => (of === undefined ? test : `${test}[${of}]`),
    )
    assert.deepEqual(
      passed.toSorted((a = '', b = '') => a.localeCompare(b)),
      PASS,
      stdout.slice(-3000),
    )
  } finally {
    await rm(above, { recursive: true, force: true })
  }
}

/** The connector's folder as the suite expects one, its addresses those of the local service. */
async function provide(folder: string, url: string, path: string): Promise<void> {
  const file = async (name: string, text: string, mode?: number): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text, { mode })
  }
  for (const name of ['metadata.yaml', 'acceptance-test-config.yml']) await file(name, await checkoutFile(name))
  for (const name of CONFIGS)
    await file(name, JSON.stringify({ ...(JSON.parse(await checkoutFile(name)) as object), import_url: url }))
  await file('conftest.py', 'pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]\n')
  await file('test_image.py', SUITE)
  // the suite knows no network, and the local service is on the host's
  const client = `#!/bin/sh\nPATH='${path}'\n[ "$1" = run ] && { shift; exec docker run --network host "$@"; }\nexec docker "$@"\n`
  await file('bin/docker', client, 0o755)
}
