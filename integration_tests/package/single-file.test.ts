// The single executable as `npm run build:sea` makes it, in a root folder that holds nothing else but the libraries it is linked
// with: no Node, no shell, no /proc. Its network is that of this machine.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it, type TestContext } from 'vitest'
import { freePort, ROOT } from '../cli/readme-commands.ts'
import { workFolder, type WorkFolder } from '../connector.ts'
import { needNode26, NODE_26 } from '../tools/test-parts/need-node26.ts'

const MEGABYTE = 1_000_000
const PROGRAM = 'destination-analytics-service'
const [COMMAND, BEFORE] = process.getuid?.() === 0 ? ['chroot', []] : ['unshare', ['--map-root-user', 'chroot']]

interface Built {
  /** What the build printed. */
  readonly printed: string
  readonly folder: string
  /** The empty machine. */
  readonly root: string
}

let work: WorkFolder | undefined
let building: Promise<Built> | undefined
afterAll(() => work?.[Symbol.asyncDispose]())

/** To be called first: the machine, which the first test makes. */
function machine(context: TestContext): Promise<Built> {
  const platform = `${process.platform} ${process.arch}`
  context.skip(platform !== 'linux x64', `the single executable is for linux x64, this is ${platform}`)
  needNode26(context)
  context.skip(spawnSync(COMMAND, [...BEFORE, '/', 'true']).status !== 0, 'this user may not change the root folder')
  building ??= build()
  return building
}

async function build(): Promise<Built> {
  work = await workFolder()
  const [folder, root] = [join(work.path, 'built'), join(work.path, 'root')]
  const script = new URL('deploy/build-sea.ts', ROOT).pathname
  const printed = execFileSync(process.execPath, [script, folder], { encoding: 'utf8' })
  await mkdir(join(root, 'tmp'), { recursive: true })
  const linked = execFileSync('ldd', [join(folder, PROGRAM)], { encoding: 'utf8' }).match(/\/\S+/g)!
  for (const library of linked) {
    await mkdir(join(root, dirname(library)), { recursive: true })
    await cp(library, join(root, library), { dereference: true })
  }
  await mkdir(join(root, 'dev'))
  await writeFile(join(root, 'dev/null'), '')
  await cp(join(folder, PROGRAM), join(root, PROGRAM))
  await cp(new URL('spec/sample', ROOT), join(root, 'sample'), { recursive: true })
  return { printed, folder, root }
}

function start({ root }: Built, args: readonly string[]): ReturnType<typeof spawn> {
  return spawn(COMMAND, [...BEFORE, root, `/${PROGRAM}`, ...args], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], ANALYTICS_API_KEY: 'demo-key' },
  })
}

async function run(
  built: Built,
  args: readonly string[],
  input: string | Buffer = '',
): Promise<{ code: number; out: string; err: string }> {
  const child = start(built, args)
  child.stdin!.on('error', () => {}).end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
  return { code: code as number, out, err }
}

it('is little more than Node, prints its sizes, and has the licences beside it', async (context) => {
  const { printed, folder } = await machine(context)
  const [whole, node] = await Promise.all([join(folder, PROGRAM), NODE_26].map((path) => stat(path)))
  expect(whole!.size - node!.size).toBeLessThan(8 * MEGABYTE)
  expect(printed).toMatch(/: \d+\.\d MB, of which Node itself is \d+\.\d MB; \d+\.\d MB with zstd\n$/)
  const licenses = await readFile(join(folder, 'THIRD-PARTY-LICENSES'), 'utf8')
  for (const name of ['undici 8', 'kafkajs 2', 'Node.js, and what is in it', 'OpenSSL'])
    expect(licenses).toContain(name)
  expect(await readFile(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License')
})

it('says the same version, specification and schemas as the checkout', async (context) => {
  const built = await machine(context)
  const { version } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as { version: string }
  expect(await run(built, ['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  const spec: unknown = JSON.parse(await readFile(new URL('spec/connector-specification.json', ROOT), 'utf8'))
  expect(JSON.parse((await run(built, ['spec'])).out)).toEqual({ type: 'SPEC', spec })
  for (const command of ['write', 'stream', 'onboard']) {
    const schema = await readFile(new URL(`spec/${command}-config.schema.json`, ROOT), 'utf8')
    expect(await run(built, [command, '--schema'])).toEqual({ code: 0, out: schema, err: '' })
  }
  expect((await run(built, ['explain', 'service.key-refused'])).out).toMatch(
    /^service\.key-refused: .*\n\n"answered 401 /,
  )
})

it('runs the demo, which names this file in its hints', async (context) => {
  const { code, out, err } = await run(await machine(context), ['demo'])
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^purchases +500 /m)
  expect(out).toContain(`\n    /${PROGRAM} serve\n`)
})

it('serves a page and a data file, checks, writes, and stops when it is asked to', async (context) => {
  const built = await machine(context)
  const port = await freePort()
  const service = start(built, ['serve', '--port', port, '--data', '/rows.db'])
  const closed = once(service, 'close')
  try {
    const [greeting] = (await once(service.stdout!, 'data')) as [Buffer]
    expect(String(greeting)).toContain(`\n/${PROGRAM} check --config config.json\n`)
    const config = join(built.root, 'sample/config.json')
    await writeFile(config, (await readFile(config, 'utf8')).replace('8585', port))
    const checked = await run(built, ['check', '--config', '/sample/config.json'])
    expect(checked.out).toContain('"SUCCEEDED"')
    const messages = await readFile(join(built.root, 'sample/messages.jsonl'))
    const write = ['write', '--config', '/sample/config.json', '--catalog', '/sample/catalog.json']
    expect((await run(built, write, messages)).out).toContain('"destinationStats":{"recordCount":3.0')

    const local = `http://127.0.0.1:${port}/_local/`
    const page = await (await fetch(local)).text()
    for (const [, path] of page.matchAll(/(?:src|href)="(page\/[^"#]+)"/g))
      expect((await fetch(local + path)).status, path).toBe(200)
    expect(page).toContain('page/main.js')
    using rows = new DatabaseSync(join(built.root, 'rows.db'), { readOnly: true })
    expect(rows.prepare('SELECT item FROM orders ORDER BY 1').all()).toMatchObject([{ item: 'desk' }, { item: 'lamp' }])
  } finally {
    service.kill('SIGTERM')
  }
  expect(await closed).toEqual([0, null])
})

it('has the Kafka client in it: stream --check says that no broker answers', async (context) => {
  const built = await machine(context)
  const config = await readFile(join(built.root, 'sample/stream.yaml'), 'utf8')
  const own = config.replaceAll(/127\.0\.0\.1:\d+/g, `127.0.0.1:${await freePort()}`)
  await writeFile(join(built.root, 'sample/stream.yaml'), own)
  const { code, out } = await run(built, ['stream', '--check', '--config', '/sample/stream.yaml'])
  expect(code).toBe(1)
  expect(out).toMatch(/^FAIL +Broker 127\.0\.0\.1:\d+ cannot be reached/m)
})
