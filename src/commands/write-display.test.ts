// `write` at a terminal that tests look at: what is drawn on standard error, and that the protocol stays alone on standard output.

import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startLocalService, type LocalService } from '../local-service/start.ts'
import type { Ended, Io } from '../process/io.ts'
import type { Input } from '../process/pipe-input.ts'
import { ownFolder } from '../process/testing/own-folder.ts'
import { ioOf, Said } from '../process/testing/said.ts'
import { dryWrite, write, type WriteFiles } from './write.ts'

const folder = ownFolder('test')
let service: LocalService
beforeEach(async () => {
  service = await startLocalService({ clients: [{ id: 7, key: 'demo-key-4711' }] })
})
afterEach(() => service[Symbol.asyncDispose]())

interface Seen {
  readonly ended: Ended
  readonly out: string
  readonly screen: string
}

async function seen(input: Input, more: Partial<Io> = {}, options: object = {}, report?: string): Promise<Seen> {
  const told = await shown((files, io) => write({ ...files, reportFiles: { report } }, io), input, more, options)
  // every line of it is a message
  for (const line of told.out.split('\n').slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('type')
  return told
}

type Start = (files: WriteFiles, io: Io) => Promise<Ended>

async function shown(start: Start, input: Input, more: Partial<Io> = {}, options: object = {}): Promise<Seen> {
  const [configFile, catalogFile] = [join(folder, 'config.json'), join(folder, 'catalog.json')]
  const config = { import_url: service.url, client_id: 7, api_key: 'demo-key-4711', ...options }
  await writeFile(configFile, JSON.stringify(config))
  const stream = { name: 'orders', json_schema: {}, supported_sync_modes: ['incremental'] }
  const modes = { sync_mode: 'incremental', destination_sync_mode: 'append_dedup', primary_key: [['id']] }
  await writeFile(catalogFile, JSON.stringify({ streams: [{ stream, ...modes }] }))
  const [out, screen] = [new Said(), new Said()]
  const errorSize = () => ({ columns: 100, rows: 24 })
  const io = ioOf(input, out, screen, { env: { NO_COLOR: '1' }, errorSize, ...more })
  const ended = await start({ configFile, catalogFile }, io)
  const shownText = await screen.text()
  expect(shownText).not.toContain('demo-key-4711')
  return { ended, out: await out.text(), screen: shownText }
}

const recordOf = (id: number | null): string =>
  `{"type":"RECORD","record":{"stream":"orders","data":{"id":${id}},"emitted_at":1}}\n`

function inputOf(text: string, then: () => Promise<void> = async () => {}): Input {
  return {
    async *[Symbol.asyncIterator]() {
      if (text !== '') yield Buffer.from(text)
      await then()
    },
    destroy() {},
  }
}

test('a table is drawn while it goes on, and the last line says what was stored, and where the report is', async () => {
  const report = join(folder, 'r.html')
  const { ended, screen } = await seen(inputOf(recordOf(1) + recordOf(2)), {}, {}, report)
  expect(ended).toBe(0)
  expect(screen).toMatch(/Stream {2,}Records {2,}Rows sent {2,}Rejected {2,}Records\/s/)
  expect(screen).toMatch(/orders {2,}2 {2,}2 {2,}0/)
  expect(screen).toMatch(/\d+ s; 0 of \d+ requests in flight; 0 records unsettled/)
  expect(screen).toMatch(/Done in \d+\.\d s: 2 records stored, in 2 rows\.\nThe report is ".*r\.html"\.\n$/)
})

test('rejected records and warnings are shown to who looks', async () => {
  const options = { on_rejected: 'divert', max_point: 7 }
  const { screen } = await seen(inputOf(recordOf(1) + recordOf(null)), {}, options)
  expect(screen).toMatch(/Z warn {2}.*did you mean/)
  expect(screen).toMatch(
    /Done in \d+\.\d s: 1 record stored, in 1\s+row; 1\s+record\s+rejected\s+and\s+kept\s+in\s+the\s+\w+\s+"/,
  )
})

test('the end is amber where something was warned of, as that nothing came, or rejected, else green; a failure is red', async () => {
  const state = `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"orders"}}}}\n`
  const complete = `{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":1,"stream_status":{"stream_descriptor":{"name":"orders"},"status":"COMPLETE"}}}\n`
  for (const [text, colour] of [
    ['', 33],
    [recordOf(1) + complete, 32],
    [state + complete, 32],
    [recordOf(null) + complete, 33],
  ] as const) {
    const { screen } = await seen(inputOf(text), { env: {} }, { on_rejected: 'divert' })
    expect(screen, text).toContain(`\u001b[${colour}mDone\u001b[39m in`)
  }
  expect((await seen(inputOf(recordOf(null)), { env: {} })).screen).toContain('\u001b[31mFailed\u001b[39m: ')
})

test('how much of a file is read is shown', async () => {
  const file = join(folder, 'messages.jsonl')
  await writeFile(file, recordOf(1).repeat(10))
  await using handle = await open(file)
  const size = (await handle.stat()).size
  const input = { ...inputOf(recordOf(1)), fd: handle.fd, bytesRead: size / 2 }
  const { screen } = await seen(input)
  expect(screen).toMatch(/\d+ s, 50 % of 0\.0 MB read/)
})

test('who interrupts it is told what is stored, and what to do', async () => {
  const stop = new AbortController()
  const input = inputOf(recordOf(1), async () => {
    while (service.tables().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
  })
  const { ended, screen } = await seen(input, { signal: stop.signal })
  expect(ended).toBe('stopped')
  expect(screen).toMatch(/Interrupted\. Records stored: [01] of 1 read\. Run the same command again/)
})

test('a failure is told in words, the key never', async () => {
  const { ended, screen, out } = await seen(inputOf(recordOf(null)))
  expect(ended).toBe(1)
  expect(out.match(/"type":"TRACE"/g)).toHaveLength(1)
  expect(screen).toMatch(/Failed: .*key field.*Records stored: 0 of\s+1 read\./s)
  const { screen: wrong } = await seen(inputOf(''), {}, { max_points: -1 })
  expect(wrong).toMatch(/^[^]*Failed: .*max_points/)
})

test('where messages go to the same terminal there is no table, but a hint and the last line', async () => {
  const { screen } = await seen(inputOf(recordOf(1)), { isTty: true })
  expect(screen).toMatch(
    /^Standard output is this terminal[^]*write … < messages\.jsonl > back\.jsonl\nDone in \d+\.\d s: 1 record/,
  )
})

test('a dry run, which prints no messages, gives no hint where they go, and names the code of what would end the run', async () => {
  const dry: Start = (files, io) => dryWrite({ ...files, json: false, compare: undefined }, io)
  const { ended, out, screen } = await shown(dry, inputOf(recordOf(null)), { columns: 100, env: {} })
  expect(ended).toBe(1)
  expect(screen).not.toContain('Standard output is this terminal')
  expect(out).toContain('\u001b[31mFailed\u001b[39m: write would end with this error. A record of stream "orders"')
  expect(out.endsWith('\u001b[2m[record.rejected]\u001b[22m\n')).toBe(true)
  const typed = await shown(dry, { ...inputOf(recordOf(1)), isTTY: true }, { columns: 100 })
  expect(typed.screen).toContain('end with Ctrl-D')
})

test('the screen and the log name one time', async () => {
  const { out, screen } = await seen(inputOf(recordOf(1)))
  const [, took] = /Done in (\S+ s): /.exec(screen)!
  expect(out).toContain(`, ${took}, `)
})

test('a terminal that moves no cursor gets the log in plain lines', async () => {
  const { out, screen } = await seen(inputOf(recordOf(1)), { isDumb: true })
  const messages = out
    .split('\n')
    .flatMap((line) => (line.startsWith('{"type":"LOG"') ? [JSON.parse(line) as Logged] : []))
  const lines = screen.split('\n')
  expect(lines.slice(0, messages.length)).toEqual(
    messages.map(
      ({ log }) => expect.stringMatching(/^\d\d:\d\d:\d\dZ info {2}/) && expect.stringContaining(log.message),
    ),
  )
  expect(lines.at(-2)).toMatch(/^Done in \d+\.\d s: 1 record stored, in 1 row\.$/)
  // oxlint-disable-next-line no-control-regex
  expect(screen).not.toMatch(/\u001b/)
  const both = await seen(inputOf(recordOf(1)), { isDumb: true, columns: 80 })
  expect(both.screen).toMatch(/^Standard output is this terminal[^]*back\.jsonl\nDone in \d+\.\d s: 1 record stored/)
})

interface Logged {
  readonly log: { readonly level: string; readonly message: string }
}

test('where standard error is no terminal, nothing is written to it', async () => {
  expect((await seen(inputOf(recordOf(1)), { errorSize: () => undefined })).screen).toBe('')
  const failed = await seen(inputOf(recordOf(null)), { errorSize: () => undefined })
  expect([failed.ended, failed.screen]).toEqual([1, ''])
})
