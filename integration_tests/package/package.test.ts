// The package as `npm pack` makes it, installed in an empty folder: what is in it, and its README command by command.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocks, freePort, ROOT } from '../cli/readme-commands.ts'
import { workFolder, type WorkFolder } from '../connector.ts'

const NAME = 'destination-analytics-service'
const MEGABYTE = 1_000_000

interface Said {
  readonly code: number | string
  readonly out: string
  readonly err: string
}

let work: WorkFolder
let user: string
let inside: string
let readme: string

/** In the user's folder, with the Node of these tests; npm asks no registry, and what it warns of is this machine's. */
function shell(code: string, { cwd = user, path = '' } = {}): Promise<Said> {
  const PATH = [path, dirname(process.execPath), process.env['PATH']].filter(Boolean).join(delimiter)
  const { npm_lifecycle_event: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile('sh', ['-c', code], { cwd, env: { ...env, PATH, npm_config_offline: 'true' } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : (error.code ?? ''), out, err: err.replaceAll(/^npm warn .*\n/gm, '') }),
    )
  })
}

beforeAll(async () => {
  work = await workFolder()
  user = join(work.path, 'user')
  inside = join(user, 'node_modules', NAME)
  await mkdir(user)
  const packed = await shell(`npm pack --silent --pack-destination '${work.path}'`, { cwd: ROOT.pathname })
  expect(packed.code, packed.err).toBe(0)
  await writeFile(join(user, 'package.json'), '{}')
  const installed = await shell(`npm install '${join(work.path, packed.out.trim())}'`)
  expect(installed.code, installed.err).toBe(0)
  expect(await readdir(join(user, 'node_modules'))).toEqual(expect.arrayContaining(['.bin', NAME]))
  readme = await readFile(join(inside, 'README.md'), 'utf8')
})
afterAll(() => work[Symbol.asyncDispose]())

it('is small, needs no other package, runs nothing when it is installed, and may be published', async () => {
  const manifest = JSON.parse(await readFile(join(inside, 'package.json'), 'utf8')) as Record<string, unknown>
  for (const key of ['dependencies', 'optionalDependencies', 'devDependencies', 'scripts', 'private'])
    expect(manifest).not.toHaveProperty(key)
  const { stdout: head } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: ROOT })
  expect(String(manifest['gitHead']).replace(/-dirty$/, '')).toBe(head.trim())
  const files = (await readdir(inside, { recursive: true, withFileTypes: true })).filter((it) => it.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(6 * MEGABYTE)
  expect(paths.filter((path) => /\.test\.|\.spec\.|\.ts$|\/debezium\/|\.map$/.test(path))).toEqual([])
})

it('says whose it is: licences, changes, security', async () => {
  for (const file of ['LICENSE', 'dist/THIRD-PARTY-LICENSES', 'CHANGELOG.md', 'HISTORY.md', 'SECURITY.md'])
    await access(join(inside, file))
})

it('names no file that it has not, and no command of a checkout in its README', async () => {
  expect(readme).not.toMatch(/npm (?:run|start|ci|test)|src\/|docker build/)
  const pages = ['README.md', ...(await readdir(join(inside, 'docs'))).map((name) => `docs/${name}`)]
  for (const page of pages.filter((name) => name.endsWith('.md'))) {
    const text = await readFile(join(inside, page), 'utf8')
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
      await access(join(inside, dirname(page), target!)).catch(() => expect.fail(`${page} names ${target}`))
  }
})

it('runs the demo, which names commands that are there', async () => {
  const { code, out, err } = await shell(blocks(`\n## x\n${readme}`, 'x', 'sh')[0]!.split('\n')[1]!)
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^purchases +500 /m)
  expect(out).toContain(`\n    npx ${NAME} serve\n`)
})

it('explains a code', async () => {
  const { code, out } = await shell(`npx ${NAME} explain service.key-refused`)
  expect([code, out]).toEqual([0, expect.stringMatching(/^service\.key-refused: .*\n\n"answered 401 /)])
})

it('works as its README says', async () => {
  const port = await freePort()
  const [serve, rest] = blocks(readme, 'Try it', 'sh').map((code) => code.replaceAll('8585', port))
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` }
  const service = spawn('sh', ['-c', `exec ${serve!.replace('npx ', 'node_modules/.bin/')}`], {
    cwd: user,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [greeting] = (await once(service.stdout, 'data')) as [Buffer]
    expect(String(greeting)).toContain(`\nnpx ${NAME} check --config config.json\n`)
    const [copy, check, write, curl] = rest!.trim().split('\n')
    expect(await shell(copy!)).toMatchObject({ code: 0 })
    const config = join(user, 'sample/config.json')
    await writeFile(config, (await readFile(config, 'utf8')).replace('8585', port))
    expect((await shell(check!)).out).toContain('"SUCCEEDED"')
    expect((await shell(write!)).out).toContain('"destinationStats":{"recordCount":3.0')
    const rows = (await (await fetch(/'(http[^']*)'/.exec(curl!)![1]!)).json()) as { item: string }[]
    expect(rows.map(({ item }) => item)).toEqual(['desk', 'lamp'])
  } finally {
    service.kill()
    await once(service, 'close')
    await rm(join(user, 'sample'), { recursive: true })
  }
})

it('says the same version and specification as the checkout', async () => {
  const { version } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as { version: string }
  expect(await shell(`npx ${NAME} --version`)).toEqual({ code: 0, out: `${version}\n`, err: '' })
  const spec: unknown = JSON.parse(await readFile(new URL('spec/connector-specification.json', ROOT), 'utf8'))
  expect(JSON.parse((await shell(`npx ${NAME} spec`)).out)).toEqual({ type: 'SPEC', spec })
})

it('tells an older Node of this machine what it needs', async ({ skip }) => {
  const older = (await shell('PATH=${PATH#*:} command -v -p node || true', { path: '/usr/bin' })).out.trim()
  const version = older === '' ? '' : (await shell(`'${older}' --version`)).out
  skip(!/^v(?:18|20|22)\./.test(version), 'there is none')
  const said = await shell(`npx ${NAME} spec`, { path: dirname(older) })
  expect(said).toMatchObject({ code: 2, out: '', err: expect.stringContaining('needs Node.js 24.9 or newer; this is') })
})

it('is published as the archive alone: npm publish of the checkout is refused', async () => {
  const { code, err } = await shell('npm publish --dry-run', { cwd: ROOT.pathname })
  expect(code).not.toBe(0)
  expect(err).toContain('Publish the archive that npm pack makes')
})
