// `write --summary` and `--report`: however a run ends there is an object that says so, by the published schema, and a page, with
// nothing of a record or a secret in them. That they replace no other file is tried for both.

import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { finished, MAIN, run, start, workFolder, type Finished, type WorkFolder } from '../connector.ts'
import { readSummary } from '../summaries.ts'
import { argsOf, KEY, logs, record, state, stream, trace } from './driver.ts'

/** In every record of these tests. */
const DATA = 'canary-4711'
const data = (id: number | string | null, more = ''): string =>
  record(`{"id":${JSON.stringify(id)},"text":"${DATA}"${more}}`)

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

const file = (name = 'summary.json'): string => join(work.path, name)
const summary = (name?: string) => readSummary(file(name), [KEY, DATA])

async function args(options: object = {}, more: readonly string[] = ['--summary', file()]): Promise<string[]> {
  const config = { api_key: KEY, retry_for_seconds: 1, ...options }
  return [...(await argsOf(service, work, [stream('orders'), stream('empty')], config)), ...more]
}
const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')
const write = async (input: string, options: object = {}, more?: readonly string[]): Promise<Finished> =>
  run(await args(options, more), input)

describe('a summary', () => {
  it('of a run that is done has counts, requests, rejects and STATEs, and only its owner can read it', async () => {
    service.fault({ next: 2, answer: { status: 503 } })
    const input = lines(data(1), data(2), data(1), data(null), state('1'), data(3), state('2'))
    const files = ['--summary', file(), '--report', file('report.html')]
    expect((await write(input, { on_rejected: 'divert', retry_for_seconds: 60 }, files)).code).toBe(0)
    const told = await summary()
    expect(told).toMatchObject({
      schema_version: 1,
      command: 'write',
      service: new URL(service.url).host,
      result: 'done',
      exit_code: 0,
      error: null,
      states: { first: 5, last: 7 },
      offsets: [],
    })
    expect(told.ended).not.toBeNull()
    const { requests, attempts, retries } = told.rows[0]!
    expect(told.rows[0]).toMatchObject({
      name: 'orders',
      table: 'orders',
      counts: { records: 5, rows: 3, written: 4, superseded: 1, rejected: 1, unsettled: 0, checkpoints: 2 },
    })
    expect(attempts).toBe(requests + retries.server)
    expect(told.rows[1]).toMatchObject({ name: 'empty', counts: { records: 0 }, requests: 0 })
    expect(told.rejected).toEqual([
      {
        name: 'orders',
        table: 'orders',
        by: 'rejected',
        reason: 'its key field "id" is null',
        records: 1,
        first: 'input line 4',
      },
    ])
    expect(told.samples.reduce((sum, { attempts }) => sum + attempts, 0)).toBeGreaterThanOrEqual(attempts)
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    const page = await readFile(file('report.html'), 'utf8')
    for (const words of ['>Done, 1 rejected<', 'its key field &quot;id&quot; is null', 'retry_<wbr>for_<wbr>seconds'])
      expect(page).toContain(words)
    for (const secret of [KEY, encodeURIComponent(KEY), DATA]) expect(page).not.toContain(secret)
  })

  it('has the fields of records and the kinds of their values, and no name that may be data', async () => {
    const declared = stream('orders', { stream: { name: 'orders', json_schema: { properties: { rare: {} } } } })
    const many = Array.from({ length: 12 }, (_, nth) => data(nth, `,"note":${nth % 2 === 0 ? 'null' : '1.5'}`))
    const input = lines(...many, data(12, `,"${DATA}":1,"rare":[]`), record('{"id":1}', 'empty'))
    const catalog = await work.file('declared.json', { streams: [declared, stream('empty')] })
    expect((await run((await args()).with(4, catalog), input)).code).toBe(0)
    const [orders, other] = (await summary()).rows
    const kinds = { string: 0, number: 0, boolean: 0, null: 0, object: 0, array: 0 }
    expect(orders!.fields).toEqual({
      sampled: 13,
      names: [
        { name: 'id', records: 13, kinds: { ...kinds, number: 13 } },
        { name: 'text', records: 13, kinds: { ...kinds, string: 13 } },
        { name: 'note', records: 12, kinds: { ...kinds, null: 6, number: 6 } },
        { name: 'rare', records: 1, kinds: { ...kinds, array: 1 } },
      ],
      others: 1,
    })
    expect(other!.fields).toEqual({ sampled: 1, names: [], others: 1 })
  })

  it('of a run that fails says why, without what the service said', async () => {
    service.fault({ every: 1, answer: { status: 401, body: JSON.stringify({ message: `no: ${DATA}` }) } })
    trace(await write(lines(data(1)), { log_keys: true }))
    const told = await summary()
    expect(told).toMatchObject({
      result: 'failed',
      exit_code: 1,
      error: { kind: 'config', code: 'service.key-refused' },
      states: null,
    })
    expect(told.error!.message).toMatch(/the key is wrong/)
    // before anything was read: what is there is a summary, so it is replaced
    trace(await write('', { max_points: DATA.length * 1000 }))
    expect(await summary()).toMatchObject({ result: 'failed', exit_code: 1, rows: [], held: null, samples: [] })
  })

  it('has the outages of the service, and for how long it did not answer', async () => {
    service.fault({ every: 1, answer: { status: 503 } })
    const child = start(await args({ retry_for_seconds: 60 }))
    const done = finished(child)
    child.stdin!.end(lines(data(1), state('1')))
    let said = ''
    for await (const chunk of child.stdout!) {
      said += String(chunk)
      if (said.includes('is unavailable')) service.clearFaults()
    }
    expect((await done).code).toBe(0)
    const { outages, samples, held } = await summary()
    expect(outages).toEqual([
      expect.objectContaining({ host: new URL(service.url).host, cause: expect.stringContaining('503') as string }),
    ])
    expect(Date.parse(outages[0]!.to!)).toBeGreaterThan(Date.parse(outages[0]!.from))
    expect(samples.reduce((sum, sample) => sum + sample.outage_seconds, 0)).toBeGreaterThan(1)
    expect(held!.seconds.outage).toBeGreaterThan(0)
  })

  it('that cannot be written is refused before data moves, and so is a report; no other file is replaced', async () => {
    await writeFile(file('notes.txt'), 'mine')
    const rejected = file('rejected.jsonl')
    for (const [more, words, options] of [
      [['--summary', '-'], /--summary takes the path of a file/],
      [['--summary', join(work.path, 'none', 's.json')], /of --summary cannot be written: there is no such folder/],
      [['--report', work.path], /of --report cannot be written: it is a folder/],
      [['--summary', file('catalog.json')], /is that of --catalog, which the summary would replace/],
      [['--report', file('config.json')], /is that of --config/],
      [['--report', rejected], /is that of rejected records/, { on_rejected: 'divert', rejected_file: rejected }],
      [['--report', file('one'), '--summary', file('one')], /of --summary is that of --report/],
      [['--report', file('one'), '--summary', file(), '--compare', file('one')], /of --report is that of --compare/],
    ] as const)
      expect(trace(await write(lines(data(1)), options, more)).message).toMatch(words)
    trace(await write('', { max_points: -1 }, ['--summary', file('notes.txt')]))
    expect(await readFile(file('notes.txt'), 'utf8')).toBe('mine')
    expect(service.requests.total).toBe(0)
  })

  it.each([
    [1, /is where standard output goes/],
    [2, /is where standard error goes/],
  ])('takes the place of no file that output %i goes into', async (fd, words) => {
    const path = file('report.html')
    await using output = await open(path, 'w')
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    stdio[fd] = output.fd
    const child = spawn(process.execPath, [MAIN, ...(await args({}, ['--report', path]))], { stdio })
    const said = child.stdout === null ? '' : await text(child.stdout)
    if (child.exitCode === null) await once(child, 'exit')
    expect([child.exitCode, `${said}${await readFile(path, 'utf8')}`]).toEqual([1, expect.stringMatching(words)])
  })

  it('that is larger than this process may write is refused in words', async () => {
    const before = await args({}, ['--report', file('report.html')])
    const child = spawn('sh', ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, MAIN, ...before], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // what Node would cache may be no larger either
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    expect(await text(child.stdout)).toMatch(/the limit on file sizes is reached \(ulimit -f\)/)
    expect(await readdir(work.path)).not.toContain('report.html')
  })

  it('is compared with the one before, and says what changed', async () => {
    const compared = ['--summary', file(), '--compare', file()]
    const many = (column: string) =>
      lines(...Array.from({ length: 12 }, (_, nth) => record(`{"id":${nth},"${column}":"${DATA}"}`)))
    const first = await write(`${many('mail')}${lines(record('{"id":1}', 'empty'))}`, {}, compared)
    expect(first.code).toBe(0)
    expect(logs(first, 'WARN')).toMatch(/There is no file ".*summary.json" of --compare yet/)
    expect((await summary()).changes).toBeNull()
    const second = await write(many('email'), {}, compared)
    const orders = { name: 'orders', table: 'orders' }
    expect((await summary()).changes).toEqual([
      { what: 'field-gone', ...orders, field: 'mail', before: 'string', now: null },
      { what: 'field-new', ...orders, field: 'email', before: null, now: 'string' },
      { what: 'no-records', name: 'empty', table: 'empty', field: null, before: '1', now: '0' },
    ])
    expect(logs(second, 'WARN').split('\n')).toEqual([
      expect.stringContaining('no longer have the field "mail" (string)'),
      expect.stringContaining('have a field "email" (string)'),
      expect.stringContaining('Stream "empty", table "empty": no record came'),
    ])
    await writeFile(file('notes.txt'), 'mine')
    const none = await write(many('mail'), {}, ['--summary', file(), '--compare', file('notes.txt')])
    expect(trace(none).message).toMatch(/of --compare is no summary that this version can read: give the file that/)
    expect(await summary()).toMatchObject({ result: 'failed', exit_code: 1, error: { code: 'report.not-a-summary' } })
  })
})
