import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadWriteConfig } from '../config/write/write-load.ts'
import { Tally } from '../core/tally.ts'
import { failureOf } from '../core/testing/failure.ts'
import type { Input } from '../process/pipe-input.ts'
import { systemClock } from '../process/system-clock.ts'
import { openAirbyteInput, type AirbyteInput } from './airbyte-input.ts'
import { ownFolder } from '../process/testing/own-folder.ts'

const folder = ownFolder('file')

interface Opened {
  readonly source: AirbyteInput
  readonly said: readonly string[]
  readonly printed: readonly string[]
}

const configured = (name: string, more: object = {}): object => ({
  stream: { name, json_schema: {} },
  destination_sync_mode: 'append_dedup',
  primary_key: [['id']],
  ...more,
})

async function open(lines: readonly string[], streams: readonly object[], options: object = {}): Promise<Opened> {
  const catalogFile = join(folder, 'catalog.json')
  await writeFile(catalogFile, JSON.stringify({ streams }))
  const known = { import_url: 'http://127.0.0.1:1', client_id: 7, api_key: 'key-of-a-test' }
  const { config } = loadWriteConfig(JSON.stringify({ ...known, ...options }), () => {})
  const [said, printed]: [string[], string[]] = [[], []]
  const input: Input = {
    // eslint-disable-next-line @typescript-eslint/require-await -- an input is asynchronous
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(lines.map((line) => `${line}\n`).join(''))
    },
    destroy() {},
    fd: 0,
  }
  const opening = {
    catalogFile,
    config,
    openInput: () => Promise.resolve(input),
    stdout: { write: async (line: unknown) => void printed.push(String(line)) },
    reservedPaths: [{ file: catalogFile, what: 'that of --catalog' }],
  }
  const source = await openAirbyteInput(opening, {
    runId: 'run-1',
    tally: new Tally(),
    log: async (level, message) => void said.push(`${level} ${message}`),
    scrub: (text) => text,
    clock: systemClock,
    samplesFields: false,
  })
  return { source, said, printed }
}

async function kindsOf({ source }: AirbyteInput): Promise<string[]> {
  const kinds: string[] = []
  for await (const items of source.read(
    new AbortController().signal,
    () => {},
    () => {},
  ))
    for (const { kind } of items) kinds.push(kind)
  return kinds
}

const status = (name: string, of: string): string =>
  `{"type":"TRACE","trace":{"type":"STREAM_STATUS","stream_status":{"stream_descriptor":{"name":"${name}"},"status":"${of}"}}}`

it('logs where each stream goes before anything is read, and reads records and states', async () => {
  const state = '{"type":"STATE","state":{"type":"GLOBAL"}}'
  const lines = ['{"type":"RECORD","record":{"stream":"orders","data":{"id":1}}}', state]
  const { source, said } = await open(lines, [configured('orders')])
  await using _source = source
  expect(said).toEqual(['info Stream "orders" goes to table "orders": one row per id, newest arrival.'])
  expect(source.rows.all.map(({ table }) => table?.name)).toEqual(['orders'])
  expect(await kindsOf(source)).toEqual(['record', 'checkpoint'])
  expect(source.endWords(true)).toEqual([])
})

it('names streams that did not end with COMPLETE, and messages of unknown types', async () => {
  const streams = ['a', 'b', 'c'].map((name) => configured(name, { generation_id: 1, minimum_generation_id: 0 }))
  const complete = ['INCOMPLETE', 'COMPLETE'].map((of) => status('a', of))
  const { source } = await open([...complete, status('b', 'INCOMPLETE'), '{"type":"record"}'], streams)
  await using _source = source
  expect(await kindsOf(source)).toEqual([])
  const unknown = ['warn', expect.stringContaining('the first in input line 4.')]
  expect(source.endWords(true)).toEqual([
    ['warn', expect.stringMatching(/^Stream "b" ended INCOMPLETE: /)],
    ['warn', expect.stringMatching(/^Stream "c" ended without COMPLETE: /)],
    unknown,
  ])
  // of a run that was stopped nothing else is known
  expect(source.endWords(false)).toEqual([unknown])
})

it('counts the files that records name, wherever in the record and however often, and warns once a stream', async () => {
  const record = (name: string, before: string, after: string): string =>
    `{"type":"RECORD","record":{${before}"stream":"${name}","data":{"id":1},"emitted_at":1${after}}}`
  const names = '"file_reference":{"staging_file_url":"/staging/a"}'
  const lines = [
    record('a', '', ''),
    record('a', '', `,${names}`),
    record('a', '', ''),
    record('b', '', ',"file_reference":null'),
    record('a', `${names},`, ''),
    record('a', `${names},`, ''),
    record('c', '', `,${names.replace('_', '\\u005f')}`),
    record('c', '', `,${names},"file_reference":null`),
    record('b', '"file_reference":null,', ''),
    record('b', '"file_reference":null,', ''),
  ]
  const { source } = await open(
    lines,
    ['a', 'b', 'c'].map((name) => configured(name)),
  )
  await using _source = source
  expect(await kindsOf(source)).toEqual(lines.map(() => 'record'))
  const code = { code: 'record.file-left-out' }
  expect(source.endWords(false)).toEqual([
    ['warn', expect.stringMatching(/^Stream "a": the files of 3 records .* the first in input line 2\./), code],
    ['warn', expect.stringMatching(/^Stream "c": the files of 1 record .* the first in input line 7\./), code],
  ])
})

it('names the files it reads and writes, which nothing else may be written to', async () => {
  const file = join(folder, 'rejected.jsonl')
  const { source } = await open([], [configured('orders')], { on_rejected: 'divert', rejected_file: file })
  await using _source = source
  expect(source.reserved).toEqual([
    { file, what: 'that of rejected records' },
    { file: 0, what: 'what is read' },
  ])
  expect(source.rejectsPlace).toBe(`the file ${JSON.stringify(file)}`)
})

it('refuses a catalog that cannot be written, before the input is opened', async () => {
  const error = await failureOf(open([], [configured('orders', { primary_key: [] })]))
  expect([error.kind, error.message]).toEqual(['config', expect.stringContaining('append_dedup needs a primary key')])
})
