// The other verbs as processes, from the sources and from what `npm run build` made, from any folder.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const specification: unknown = JSON.parse(readFileSync(path('spec/connector-specification.json'), 'utf8'))

const folder = ownFolder('file')
beforeAll(() => {
  // what is tested is this checkout's, not what an earlier build left
  const { status, stdout, stderr } = spawnSync(process.execPath, [path('rolldown.config.ts')], {
    cwd: path('.'),
    encoding: 'utf8',
  })
  // whoever runs `npm ci` has not asked for more
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})

function run(
  main: string,
  args: string[],
  options: { nodeArgs?: string[]; input?: string } = {},
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...(options.nodeArgs ?? []), path(main), ...args], {
    cwd: folder,
    encoding: 'utf8',
    input: options.input ?? '',
  })
  return { status, stdout, stderr }
}

/** As a Node that is too old to read TypeScript, or to have what we use. */
const OLD = [
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}});process.execPath='/usr/bin/node'`,
]

describe.each(['src/start.js', 'dist/main.js'])('%s', (main) => {
  it('prints the specification', () => {
    const { status, stdout } = run(main, ['spec'])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ type: 'SPEC', spec: specification })
    expect(stdout.startsWith('{"type":"SPEC",')).toBe(true)
  })

  it('checks, and says everything that is wrong at once', () => {
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ import_url: 'http://127.0.0.1:1', client_id: 'seven' }))
    const { status, stdout } = run(main, ['check', '--config', 'config.json'])
    expect(status).toBe(0)
    const { connectionStatus } = JSON.parse(stdout) as { connectionStatus: { status: string; message: string } }
    expect(connectionStatus.status).toBe('FAILED')
    for (const words of ['client_id', 'api_key', '127.0.0.1:1']) expect(connectionStatus.message).toContain(words)
  })

  it('runs the demo', () => {
    const { status, stdout, stderr } = run(main, ['demo'])
    expect([status, stderr]).toEqual([0, ''])
    for (const words of ['The client is onboarded.', 'SUCCEEDED', 'products', 'Next, try'])
      expect(stdout).toContain(words)
    // what arrived first is another row from run to run
    for (const table of ['products', 'users', 'purchases'])
      expect(stdout).toMatch(new RegExp(`^${table} +\\d+ {2}\\{"keys":\\["id"\\],"id":1,`, 'm'))
  })

  it.each([
    [['--latency', 'abc'], 2],
    [['--port', 'x'], 2],
    [['--data', 'nowhere/x.db'], 1],
  ])('does not serve with %j', (args, code) => {
    const { status, stdout, stderr } = run(main, ['serve', ...args])
    expect([status, stdout]).toEqual([code, ''])
    expect(stderr).toMatch(/^serve: /)
  })

  it('tells its version and its commands', () => {
    expect(run(main, ['--version']).stdout).toBe('0.3.0\n')
    expect(run(main, ['--help'])).toMatchObject({ status: 0, stderr: '' })
  })

  it('is taken over from an older Node by the one of the checkout, with its exit code', () => {
    expect(run(main, ['--version'], { nodeArgs: OLD })).toEqual(run(main, ['--version']))
    expect(run(main, ['chek'], { nodeArgs: OLD })).toEqual(run(main, ['chek']))
  })

  it('ends with the older Node that hands over to it, also where that one is killed', async () => {
    const older = spawn(process.execPath, [...OLD, path(main), 'serve', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [greeting] = (await once(older.stdout, 'data')) as [Buffer]
    const page = /http:\S+\/_local\//.exec(String(greeting))![0]
    expect((await fetch(page)).status).toBe(200)
    older.kill('SIGKILL')
    await once(older, 'close')
    await expect(fetch(page)).rejects.toThrow()
  })

  it('reads a file as well as a pipe', () => {
    const catalog = { streams: [{ stream: { name: 's' }, destination_sync_mode: 'append' }] }
    writeFileSync(
      join(folder, 'ok.json'),
      JSON.stringify({ import_url: 'http://127.0.0.1:1', client_id: 7, api_key: 'k-e-y', retry_for_seconds: 0 }),
    )
    writeFileSync(join(folder, 'catalog.json'), JSON.stringify(catalog))
    writeFileSync(join(folder, 'in.jsonl'), '{"type":"STATE","state":{"data":1}}\n')
    const stdout = execFileSync(
      'sh',
      ['-c', `"${process.execPath}" "${path(main)}" write --config ok.json --catalog catalog.json < in.jsonl`],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(stdout).toContain(
      '{"type":"STATE","state":{"data":1,"destinationStats":{"recordCount":0.0,"rejectedRecordCount":0.0}}}\n',
    )
  })
})

describe('where no newer Node is, an older one', () => {
  const needed = 'destination-analytics-service needs Node.js 24.9 or newer; this is 20.20.2'

  it.each(['dist/main.js', 'src/start.js'])('refuses %s', (main) => {
    const [from, to] = [path(main.replace(/\/.*/, '')), join(folder, main.replace(/\/.*/, ''))]
    cpSync(from, to, { recursive: true })
    const { status, stdout, stderr } = spawnSync(process.execPath, [...OLD, join(folder, main), 'spec'], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(needed)
  })

  it('runs no script of package.json: each that needs a newer one looks first', () => {
    const { scripts } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as { scripts: Record<string, string> }
    const looks = /^(?:node src\/(?:check-node|start)\.js\b|npm run |echo )/
    const blind = Object.entries(scripts).filter(([, it]) => !looks.test(it))
    expect(blind).toEqual([])
    const { status, stderr } = spawnSync(process.execPath, [...OLD, path('src/check-node.js')], { encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toMatch(needed)
  })

  it('is told to run npm ci in a checkout where nobody did, and a newer one too where it needs packages', () => {
    const bare = join(folder, 'bare')
    cpSync(path('src'), join(bare, 'src'), { recursive: true })
    for (const file of ['package.json', 'package-lock.json']) cpSync(path(file), join(bare, file))
    const node = (args: string[]): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(process.execPath, args, { cwd: bare, encoding: 'utf8' })
    for (const script of ['src/start.js', 'src/check-node.js']) {
      const { status, stdout, stderr } = node([...OLD, script, 'spec'])
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(needed)
      expect(stderr).toContain('Run `npm ci` here first: it brings one along')
    }
    expect(node(['src/check-node.js'])).toMatchObject({
      status: 2,
      stderr: 'The packages of this checkout are not installed. Run `npm ci` first.\n',
    })
    expect(node(['src/start.js', '--version'])).toMatchObject({ status: 0, stderr: '' })
    const { status, stdout } = node(['src/start.js', 'check', '--config', 'absent.json'])
    expect(status).toBe(1)
    expect(stdout).toContain('run `npm ci` first')
    mkdirSync(join(bare, 'node_modules'))
    expect(node([...OLD, 'src/check-node.js']).stderr).not.toContain('npm ci')
    expect(node(['src/check-node.js'])).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  it('is what engines of package.json names too', () => {
    const { engines } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as { engines: { node: string } }
    expect(needed).toContain(`${engines.node.replace('>=', '')} or newer`)
  })
})
