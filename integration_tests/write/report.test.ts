// `write --report`: however a run ends there is a page that says so, and nothing of a record or a secret in it.

import { spawn } from 'node:child_process'
import type { StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Input } from '../../src/process/pipe-input.ts'
import { write } from '../../src/commands/write.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import type { LocalService } from '../../src/local-service/start.ts'
import { finished, start, workFolder } from '../connector.ts'
import type { Message, WorkFolder } from '../connector.ts'
import { ioOf, Said } from '../in-process.ts'
import { KEY, record, state, stream } from './driver.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
/** In every record of these tests. */
const DATA = 'canary-4711'
const data = (id: number | string | null): string => record(`{"id":${JSON.stringify(id)},"text":"${DATA}"}`)

let service: LocalService
let work: WorkFolder
beforeEach(async () => {
  service = await startLocalService({ clients: [{ id: 7, key: KEY }] })
  work = await workFolder()
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await work[Symbol.asyncDispose]()
})

const reportFile = (): string => join(work.path, 'out', 'report.html')

async function filesOf(options: object = {}, streams = [stream('orders')]): Promise<[config: string, catalog: string]> {
  await mkdir(join(work.path, 'out'), { recursive: true })
  const config = { import_url: service.url, client_id: 7, api_key: KEY, retry_for_seconds: 1, ...options }
  return [await work.file('config.json', config), await work.file('catalog.json', { streams })]
}

/** In this process. */
async function run(
  input: string,
  options: object = {},
  report = reportFile(),
): Promise<{ code: number | 'stopped'; messages: readonly Message[] }> {
  const [configFile, catalogFile] = await filesOf(options)
  const said = new Said()
  const whole: Input = {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(input)
    },
    destroy() {},
  }
  const code = await write({ configFile, catalogFile, reportFiles: { report } }, ioOf(whole, said, said))
  const lines = (await said.text()).split('\n').slice(0, -1)
  return { code, messages: lines.map((line) => JSON.parse(line) as Message) }
}

/** The page, with nothing in it that must not be, and nothing beside it. */
async function page(): Promise<string> {
  expect(await readdir(join(work.path, 'out'))).toEqual(['report.html'])
  const text = await readFile(reportFile(), 'utf8')
  for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1), DATA])
    expect(text).not.toContain(form)
  expect(text.startsWith('<!doctype html>')).toBe(true)
  expect(text.endsWith('</html>\n')).toBe(true)
  return text.replaceAll(/ data-of="[^"]*"/g, '')
}

const errorOf = ({ messages }: { readonly messages: readonly Message[] }): string =>
  (messages.at(-1)!['trace'] as { error: { message: string } }).error.message
const cells = (...texts: readonly (string | number)[]): string =>
  texts.map((text) => `<td${typeof text === 'string' ? ' class="t"' : ''}>${text}</td>`).join('')

describe('a report', () => {
  it('of a run that is done tells its streams, its rejects, and replaces the one before', async () => {
    await filesOf()
    await writeFile(reportFile(), 'of before')
    const input = [data(1), data(2), data(1), data(null), state('1'), data(3), state('2')].join('\n')
    const done = await run(input, { on_rejected: 'divert' })
    expect(done.code).toBe(0)
    expect(done.messages.filter(({ type }) => type === 'STATE')).toHaveLength(2)
    const text = await page()
    expect(text).toContain('>Done, 1 rejected<')
    expect(text).toContain(new URL(service.url).host)
    // records, rows sent, superseded, rejected, checkpoints; what is 0 everywhere has no column
    expect(text).toContain(`<th scope="row" class="t">orders</th>${cells('orders', 5, 3, 1, 1, 2)}`)
    expect(text).toContain(cells('orders', 'the connector', 'its key field &quot;id&quot; is null', 'input line 4', 1))
    expect(text).toContain('1 row more went to other tables')
    expect(text).not.toContain('late_<wbr>write')
    expect(text).toContain('retry_<wbr>for_<wbr>seconds')
  })

  it.each<[string, object, string, RegExp]>([
    [
      'the service stops',
      { status: 401, body: JSON.stringify({ message: `no: ${DATA}` }) },
      'Failed',
      /the key is wrong/,
    ],
    [
      'the service refuses',
      { status: 400, body: JSON.stringify({ message: `no: ${DATA}` }) },
      'Failed, 1 rejected',
      /the service answered 400/,
    ],
    ['the service fails', { status: 503 }, 'Failed', /Could not deliver to table .*retry_for_seconds/],
  ])('of a run that %s says why', async (_name, answer, end, words) => {
    service.fault({ every: 1, answer: answer as { status: number } })
    const done = await run(`${data(`${DATA}-key`)}\n`, { log_keys: true })
    expect(done.code).toBe(1)
    expect(errorOf(done)).not.toBe('')
    const text = await page()
    expect(text).toContain(`>${end}<`)
    expect(text).toMatch(words)
  })

  it('of a run whose input is at fault, or its config, says so', async () => {
    expect((await run(`${data(1)}\n{"type":"RECORD","${DATA}`)).code).toBe(1)
    const text = await page()
    expect(text).toMatch(/line 2/)
    expect(text).toContain(`<th scope="row" class="t">orders</th>${cells('orders', 1, 1, 0, 0)}`)
    expect((await run(`${data(2)}\n${data(null)}\n`)).code).toBe(1)
    expect(await page()).toContain(`<th scope="row" class="t">orders</th>${cells('orders', 2, 1, 1, 0)}`)
    expect((await run('', { max_points: DATA.length * 1000 })).code).toBe(1)
    expect(await page()).toMatch(/max_points.*before anything was read/)
  })

  it('that cannot be written is refused before data moves', async () => {
    await filesOf()
    const rejected = join(work.path, 'out', 'rejected.jsonl')
    const cases: readonly (readonly [path: string, words: RegExp, options?: object])[] = [
      ['-', /--report takes the path of a file/],
      [work.path, /it is a folder/],
      [join(work.path, 'none', 'r.html'), /there is no such folder/],
      [join(work.path, 'config.json'), /is that of --config/],
      [join(work.path, 'catalog.json'), /is that of --catalog/],
      [rejected, /is that of rejected records/, { on_rejected: 'divert', rejected_file: rejected }],
    ]
    for (const [path, words, options] of cases) {
      const done = await run(`${data(1)}\n`, options, path)
      expect(done.code).toBe(1)
      expect(done.messages.filter(({ type }) => type === 'TRACE')).toHaveLength(1)
      expect(errorOf(done)).toMatch(words)
    }
    expect(service.requests.total).toBe(0)
    expect(await readFile(rejected, 'utf8')).toBe('')
    expect(JSON.parse(await readFile(join(work.path, 'config.json'), 'utf8'))).toMatchObject({ client_id: 7 })
  })

  it('takes the place of no file that its output goes into', async () => {
    const [config, catalog] = await filesOf()
    for (const fd of [1, 2]) {
      await using output = await open(reportFile(), 'w')
      const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
      stdio[fd] = output.fd
      const args = [MAIN, 'write', '--config', config, '--catalog', catalog, '--report', reportFile()]
      const child = spawn(process.execPath, args, { stdio })
      const said = child.stdout === null ? '' : await text(child.stdout)
      if (child.exitCode === null) await once(child, 'exit')
      expect(child.exitCode).toBe(1)
      const words = fd === 1 ? /is where standard output goes/ : /is where standard error goes/
      expect(`${said}${await readFile(reportFile(), 'utf8')}`).toMatch(words)
    }
  })

  it('that is larger than this process may write is refused in words', async () => {
    const [config, catalog] = await filesOf()
    const args = ['write', '--config', config, '--catalog', catalog, '--report', reportFile()]
    const child = spawn('sh', ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, MAIN, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // what Node would cache may be no larger either
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    expect(await text(child.stdout)).toMatch(/the limit on file sizes is reached \(ulimit -f\)/)
    expect(await readdir(join(work.path, 'out'))).toEqual([])
  })

  it('that can no longer be written is a warning, and the run is what it was', async () => {
    const [config, catalog] = await filesOf()
    const child = start(['write', '--config', config, '--catalog', catalog, '--report', reportFile()])
    const done = finished(child)
    child.stdin!.write(`${data(1)}\n${state('1')}\n`)
    while (service.tables().length === 0) await new Promise((end) => setTimeout(end, 10))
    await rm(join(work.path, 'out'), { recursive: true })
    child.stdin!.end()
    const ended = await done
    expect(ended.code).toBe(0)
    expect(ended.states).toHaveLength(1)
    const warnings = ended.messages.flatMap(({ log }) => {
      const { level, message } = (log ?? {}) as { level?: string; message?: string }
      return level === 'WARN' ? [message] : []
    })
    expect(warnings).toEqual([expect.stringContaining('of --report cannot be written: there is no such folder')])
  })
})
