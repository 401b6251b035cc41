// What the image is and holds.

import assert from 'node:assert/strict'
import { TAG } from './build-image.ts'
import { checkoutFile } from './scene.ts'
import type { Scene, Situation } from './scene.ts'

const HOME = '/airbyte/integration_code'

export const CONTENTS: Readonly<Record<string, Situation>> = {
  'the image says who it is and starts the same way by entry point and by shell': saysWhoItIs,
  'the image holds what runs and nothing else': holdsOnlyWhatRuns,
  'nothing of ours is native, and what came from others is there with its licence': isPortable,
  'the heap goes by the memory of the container': fitsItsHeap,
  'the demo runs without a network, and names the commands of the image': demonstrates,
  'a start finds its code compiled, on a file system that cannot be written to': startsCompiled,
}

async function saysWhoItIs({ docker }: Scene): Promise<void> {
  const format = '{{json .Config}}'
  const image = JSON.parse(await docker.output(['image', 'inspect', '--format', format, TAG])) as {
    User: string
    WorkingDir: string
    Entrypoint: string[]
    Env: string[]
    Labels: Record<string, string>
    Volumes: object | null
  }
  const { name, version, license } = JSON.parse(await checkoutFile('package.json')) as Record<string, string>
  assert.equal(image.User, '1000:1000')
  assert.equal(image.WorkingDir, HOME)
  assert.deepEqual(image.Entrypoint, ['/usr/local/bin/node', `${HOME}/dist/main.js`])
  assert.ok(image.Env.includes(`AIRBYTE_ENTRYPOINT=${image.Entrypoint.join(' ')}`))
  assert.ok(image.Env.includes('NODE_ENV=production'))
  assert.equal(image.Volumes ?? undefined, undefined)
  const { Labels: labels } = image
  assert.deepEqual([labels['io.airbyte.name'], labels['io.airbyte.version']], [name, version])
  const told = ['title', 'version', 'licenses'].map((it) => labels[`org.opencontainers.image.${it}`])
  assert.deepEqual(told, [name, version, license])
  for (const it of ['url', 'source', 'documentation', 'vendor', 'revision', 'created'])
    assert.equal(labels[`org.opencontainers.image.${it}`], '', `${it} is said by nobody`)
}

async function holdsOnlyWhatRuns({ stage }: Scene): Promise<void> {
  const files = ['LICENSE', 'compiled', 'dist', 'package.json', 'spec']
  assert.deepEqual((await stage.shell(`ls -A ${HOME}`)).split('\n').toSorted(), files)
  assert.deepEqual((await stage.shell(`cd ${HOME} && find spec -type f`)).split('\n').toSorted(), [
    'spec/captures/faker/catalog.json',
    'spec/captures/faker/messages.jsonl',
    'spec/connector-specification.json',
    'spec/dry-run.schema.json',
    'spec/onboard-config.example.yaml',
    'spec/onboard-config.schema.json',
    'spec/run-summary.schema.json',
    'spec/sample/onboard.yaml',
    'spec/stream-config.example.yaml',
    'spec/stream-config.schema.json',
    'spec/write-config.schema.json',
  ])
  assert.equal(await stage.shell(`find ${HOME} -name '*.ts' -o -name '*.test.*' -o -name '*.map'`), '')
  assert.equal(await stage.shell(`find ${HOME} -writable ! -type l`), '')
  assert.equal(await stage.shell('ls -A /home/node /tmp | grep -i npm || true'), '')
  assert.equal(await stage.shell('command -v npm npx corepack yarn || true'), '')
  assert.equal(await stage.shell('find / -xdev -name node_modules 2>/dev/null || true'), '')
}

async function isPortable({ stage }: Scene): Promise<void> {
  const compiled = String.raw`$(printf '\177ELF')`
  assert.equal(await stage.shell(`LC_ALL=C grep -rl "${compiled}" ${HOME} || true`), '')
  assert.equal(await stage.shell(`find ${HOME} -name '*.node' -o -name '*.so*' -o -name '*.wasm'`), '')
  const licenses = await stage.shell(`cat ${HOME}/dist/THIRD-PARTY-LICENSES`)
  const packages = (await stage.shell(`ls ${HOME}/dist/npm`)).split('\n').map((file) => file.replace(/\.js$/, ''))
  assert.ok(packages.includes('undici'))
  const titles = licenses.matchAll(/^@?(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)
  const licensed = new Set([...titles].map(([, name]) => name!.replace('/', '-')))
  assert.deepEqual(
    packages.filter((name) => !licensed.has(name)),
    [],
  )
}

async function fitsItsHeap({ docker }: Scene): Promise<void> {
  const megabytes = async (memory: string): Promise<number> => {
    const limit = ['--memory', memory, '--memory-swap', memory, '--network', 'none']
    const asked = 'require("node:v8").getHeapStatistics().heap_size_limit / 2 ** 20'
    return Number(await docker.output(['run', '--rm', ...limit, '--entrypoint', 'node', TAG, '--print', asked]))
  }
  const [small, large] = await Promise.all([megabytes('256m'), megabytes('1g')])
  assert.ok(small >= 128 && small <= 192, `${small} MB of 256`)
  assert.ok(large >= 512 && large <= 640, `${large} MB of 1024`)
}

async function demonstrates({ docker }: Scene): Promise<void> {
  const said = await docker.output(['run', '--rm', '--network', 'none', TAG, 'demo'])
  assert.match(said, /^purchases +500 /m)
  assert.match(said, /^ {4}docker run --rm -i .* destination-analytics-service:\S+ serve$/m)
  assert.ok(
    said.includes(`${TAG.split(':')[0]}:${(await docker.output(['run', '--rm', TAG, '--version'])).trim()} serve`),
  )
}

/** @param command that fails early, or needs nothing */
async function startsCompiled({ docker }: Scene): Promise<void> {
  for (const command of ['spec', 'write --config absent --catalog absent', 'stream --config absent']) {
    const options = ['--rm', '--read-only', '--network', 'none', '--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE']
    const { stdout, stderr } = await docker.run(['run', ...options, TAG, ...command.split(' ')])
    const found = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('reading cache from'))
    assert.ok(found.length >= 8, `${command}: ${found.length} modules\n${stdout}${stderr}`)
    assert.deepEqual(
      found.filter((line) => !line.includes('success')),
      [],
      command,
    )
    assert.equal(/was rejected/.exec(stdout + stderr)?.[0], undefined, command)
  }
}
