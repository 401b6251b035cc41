// The other verbs as processes, from the sources and from what `npm run build` made, from any folder.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const specification: unknown = JSON.parse(readFileSync(path('spec/connector-specification.json'), 'utf8'))

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commands-'))
  // what is tested is this checkout's, not what an earlier build left
  const { status, stdout, stderr } = spawnSync(process.execPath, [path('rolldown.config.ts')], {
    cwd: path('.'),
    encoding: 'utf8',
  })
  // whoever runs `npm ci` has not asked for more
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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

describe.each(['src/main.ts', 'dist/main.js'])('%s', (main) => {
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
    expect(run(main, ['--version']).stdout).toBe('0.1.0\n')
    expect(run(main, ['--help'])).toMatchObject({ status: 0, stderr: '' })
  })

  it('says which Node it needs on an older one', () => {
    const old = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`
    const { status, stdout, stderr } = run(main, ['spec'], { nodeArgs: ['--import', old] })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('24.9')
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
