// What the image is and holds.

import assert from 'node:assert/strict'
import { TAG } from './build-image.ts'
import { checkoutFile, type Scene, type Situation } from './scene.ts'

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

/** What is in the image's file system: printed by the Node in it, for it has no `find`. */
const LIST = `
  const { accessSync, closeSync, constants, openSync, readSync, readdirSync, statSync } = require('node:fs')
  const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true } catch { return false } }
  const start = (path) => { const bytes = Buffer.alloc(4); const file = openSync(path); readSync(file, bytes); closeSync(file); return bytes.toString('latin1') }
  const walk = (folder) => {
    for (const entry of readdirSync(folder || '/', { withFileTypes: true })) {
      const path = folder + '/' + entry.name
      const isFile = entry.isFile()
      const isOurs = path.startsWith('${HOME}/')
      const found = { path, isFile, mode: entry.isSymbolicLink() ? 0 : statSync(path).mode, isWritable: isOurs && isWritable(path) }
      console.log(JSON.stringify({ ...found, start: isOurs && isFile ? start(path) : '' }))
      if (entry.isDirectory() && !['/dest', '/dev', '/proc', '/root', '/sys'].includes(path)) walk(path)
    }
  }
  walk('')`

interface Found {
  readonly path: string
  readonly isFile: boolean
  readonly mode: number
  /** Of ours alone: whether user 1000 may write there, and the first bytes. */
  readonly isWritable: boolean
  readonly start: string
}

async function found({ stage }: Scene): Promise<Found[]> {
  const lines = await stage.shell('cat >/dest/list.cjs && node /dest/list.cjs', LIST)
  return lines.split('\n').map((line) => JSON.parse(line) as Found)
}

function paths(all: readonly Found[], isMeant: (one: Found) => boolean): string[] {
  return all.filter(isMeant).map(({ path }) => path)
}

async function holdsOnlyWhatRuns(scene: Scene): Promise<void> {
  const { stage } = scene
  const all = await found(scene)
  const files = ['LICENSE', 'compiled', 'dist', 'package.json', 'spec']
  assert.deepEqual((await stage.shell(`ls -A ${HOME}`)).split('\n').toSorted(), files)
  const spec = paths(all, ({ path, isFile }) => isFile && path.startsWith(`${HOME}/spec/`))
  assert.deepEqual(spec.map((path) => path.slice(HOME.length + 1)).toSorted(), [
    'spec/captures/faker/catalog.json',
    'spec/captures/faker/messages.jsonl',
    'spec/codes.json',
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
  const odd = /\.ts$|\.test\.|\.map$/
  assert.deepEqual(
    paths(all, ({ path, isWritable }) => isWritable || (path.startsWith(HOME) && odd.test(path))),
    [],
  )
  assert.deepEqual(
    paths(all, ({ path, mode, isFile }) => path.endsWith('/node_modules') || (isFile && (mode & 0o6000) !== 0)),
    [],
  )
  assert.equal(await stage.shell('ls -A /home/node /tmp'), '/home/node:\n\n/tmp:')
  const installers = 'npm npx corepack yarn apt apt-get dpkg perl curl wget'
  assert.equal(await stage.shell(`for name in ${installers}; do command -v $name || true; done`), '')
  // what the wrapper of a platform calls, and a zone that is not UTC
  assert.equal(await stage.shell('command -v cat kill mkfifo mv sleep touch >/dev/null; echo $?'), '0')
  assert.equal(
    await stage.shell('TZ=Europe/Rome date --date @0 +%H; TZ=Asia/Tokyo node -p "new Date(0).getHours()"'),
    '01\n9',
  )
  const packages = (await stage.shell('cat /var/lib/dpkg/status')).match(/(?<=^Package: ).+/gm)!
  for (const name of ['base-files', 'coreutils', 'dash', 'libc6', 'libstdc++6', 'tzdata'])
    assert(packages.includes(name), name)
  assert(packages.length < 25, packages.join(' '))
}

async function isPortable(scene: Scene): Promise<void> {
  const { stage } = scene
  const native = /\.node$|\.so(?:\.|$)|\.wasm$/
  const all = (await found(scene)).filter(({ path }) => path.startsWith(`${HOME}/`))
  assert(all.length > 20)
  assert.deepEqual(
    paths(all, ({ path, start }) => native.test(path) || start === '\u007fELF'),
    [],
  )
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
