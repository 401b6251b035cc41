// What a command loads of src, as V8's coverage tells it of the program that is not bundled: one short run of each. Started by itself
// (`npm run figures -- loaded`) it writes integration_tests/loaded/loaded.json, and docs/DESIGN.md by `npm run generate`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LOADED, type Loaded } from '../../spec/loaded.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import { record, state, stream } from '../write/driver.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAIN = join(ROOT, 'src/main.ts')

/** By command, in the order that docs/DESIGN.md has them. */
const RUNS = {
  spec: { args: ['spec'], input: '' },
  write: { args: ['write', '--config', 'write.json', '--catalog', 'catalog.json'], input: 'records' },
  'write --dry-run': {
    args: ['write', '--dry-run', '--config', 'write.json', '--catalog', 'catalog.json'],
    input: 'records',
  },
  stream: { args: ['stream', '--config', 'stream.json'], input: '' },
} as const

/** Runs each command once; `stream` looks for a broker that is not there until it is stopped.
 *  @returns the files of src that each loads, as URLs
 *  @throws when a command does not end as it should */
export async function loadedFiles(): Promise<Readonly<Record<string, readonly string[]>>> {
  await using service = await startLocalService()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'loaded-'))
  const config = { import_url: service.url, client_id: 7, api_key: 'demo-key' }
  const kafka = { brokers: ['127.0.0.1:1'], group: 'loaded' }
  const files = {
    'write.json': config,
    'catalog.json': { streams: [stream('orders')] },
    key: config.api_key,
    'stream.json': { ...config, api_key: { file: 'key' }, kafka, topics: [{ topic: 'orders', keys: ['id'] }] },
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder.path, name), typeof content === 'string' ? content : JSON.stringify(content))
  const loaded: Record<string, readonly string[]> = {}
  for (const [command, { args, input }] of Object.entries(RUNS)) {
    const coverage = join(folder.path, command)
    await play(args, input === '' ? '' : `${record('{"id":1}')}\n${state('1')}\n`, folder.path, coverage)
    loaded[command] = await filesIn(coverage)
  }
  return loaded
}

async function play(args: readonly string[], input: string, cwd: string, coverage: string): Promise<void> {
  const env = { ...process.env, NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: '1' }
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {}).end(input)
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk)
    // it looks for brokers; a second signal would kill it
    if (!child.killed && said.includes('cannot be asked for topics')) child.kill('SIGTERM')
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== (args[0] === 'stream' ? 143 : 0)) throw new Error(`${args.join(' ')} ends with ${code}:\n${said}`)
}

async function filesIn(coverage: string): Promise<readonly string[]> {
  const urls = new Set<string>()
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8')) as { result: { url: string }[] }
    for (const { url } of result) if (url.startsWith(`file://${ROOT}src/`)) urls.add(url)
  }
  return [...urls]
}

export function countLoaded(files: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, Loaded>> {
  const linesIn = (url: string): number => readFileSync(fileURLToPath(url), 'utf8').split('\n').length - 1
  return Object.fromEntries(
    Object.entries(files).map(([command, urls]) => {
      return [command, { modules: urls.length, lines: urls.reduce((sum, url) => sum + linesIn(url), 0) }]
    }),
  )
}

// also where integration_tests/tools/choose.ts starts it
if (process.argv[1] === import.meta.filename) {
  const loaded = countLoaded(await loadedFiles())
  console.table(loaded)
  await writeFile(LOADED, `${JSON.stringify(loaded, null, 2)}\n`)
  await import('../../spec/generate.ts')
}
