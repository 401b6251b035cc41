// Hostile documents (spec/documents): in every mode each comes back byte-equal in the table, or is rejected with the
// reason the corpus gives. The rulings behind it: docs/decisions.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCorpus, type DocumentCase, type Expectation } from '../../spec/documents/read-corpus.ts'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { run, workFolder, type Finished, type WorkFolder } from '../connector.ts'
import { DOCUMENT_MODES, expectationOf, type DocumentMode } from './modes.ts'
import { rowFault, rowId, rowsOf } from './rows.ts'
import { runHere } from './run.ts'
import { record, state, trace } from '../write/driver.ts'

const corpus = readCorpus()
const LINE_FEED = Buffer.from('\n')
/** Groups whose key values are equal, or whose keys have other names. */
const APART = new Set(['key-values', 'key-names', 'nested-keys'])
/** Bytes of a message; what is larger is not tried in variants of a mode. */
const LARGE = 300_000

let service: LocalService
let work: WorkFolder
beforeAll(async () => {
  service = await startLocalService()
  work = await workFolder()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await work[Symbol.asyncDispose]()
})

type Run = (config: object, streams: object[], input: Buffer) => Promise<Finished>
const here: Run = (config, streams, input) => runHere(work, config, streams, input)
const asProcess: Run = async (config, streams, input) => {
  const files = [await work.file('config.json', config), await work.file('catalog.json', { streams })]
  return run(['write', '--config', files[0]!, '--catalog', files[1]!], input)
}
const configOf = (mode: DocumentMode, more: object = {}): object => {
  const own = { import_url: service.url, client_id: 7, api_key: 'demo-key', retry_for_seconds: 1 }
  return { ...own, ...mode.config, ...more }
}
const messages = (...lines: (string | Buffer)[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [Buffer.from(line), LINE_FEED]))

interface Tried {
  readonly one: DocumentCase
  readonly expected: Expectation
}

function tried(mode: DocumentMode, ...kinds: Expectation['kind'][]): Tried[] {
  return corpus.flatMap((one) => {
    const expected = expectationOf(one, mode)
    if (expected === undefined || !kinds.includes(expected.kind)) return []
    return mode.variant && one.line('').length > LARGE ? [] : [{ one, expected }]
  })
}

/** What should be in a row of its own; undefined: there is none. */
function storedAs({ one, expected }: Tried): Buffer | undefined {
  return expected.kind === 'becomes' ? expected.bytes : expected.kind === 'stored' ? one.data : undefined
}

const plain = DOCUMENT_MODES.filter(({ variant }) => !variant)

it.each(plain)('in mode $name hundreds of documents in one table come back byte for byte, in order', async (mode) => {
  const cases = tried(mode, 'stored', 'becomes', 'passed over').filter(({ one }) => !APART.has(one.group))
  const name = `all-${mode.name}`
  const input = messages(...cases.map(({ one }) => one.line(name)), state('1', name))
  // one request after another, so that rows arrive in the order of their records
  const done = await asProcess(configOf(mode, { concurrency: 1 }), [mode.streamOf(name, '"id"')], input)
  expect([errorOf(done), done.code, done.stderr, done.states.length]).toEqual([undefined, 0, '', 1])
  const rows = await rowsOf(service, name.replace('-', '_'))
  const stored = cases.filter((it) => storedAs(it) !== undefined)
  expect(rows).toHaveLength(stored.length)
  const wrong = stored.flatMap((it, index) => {
    const fault = rowFault(rows[index]!, storedAs(it)!, mode, it.one)
    return fault === undefined ? [] : [`${it.one.group}, ${it.one.name}: ${fault}`]
  })
  expect(wrong).toEqual([])
  if (!mode.keyed)
    expect(new Set(rows.map((row, index) => rowId(row, mode, stored[index]!.one))).size).toBe(rows.length)
})

describe.each(DOCUMENT_MODES)('in mode $name', (mode) => {
  it('each document in a table of its own comes back byte for byte', async () => {
    const cases = tried(mode, 'stored', 'becomes', 'passed over')
    const nameOf = (index: number): string => `own-${mode.name}-${index}`
    const done = await here(
      configOf(mode),
      cases.map(({ one }, index) => mode.streamOf(nameOf(index), one.key)),
      messages(...cases.map(({ one }, index) => one.line(nameOf(index)))),
    )
    expect([errorOf(done), done.code, done.stderr]).toEqual([undefined, 0, ''])
    const wrong: string[] = []
    for (const [index, it] of cases.entries()) {
      const rows = await rowsOf(service, nameOf(index).replaceAll('-', '_'))
      const expected = storedAs(it)
      const fault =
        rows.length !== (expected ? 1 : 0)
          ? `${rows.length} rows`
          : expected && rowFault(rows[0]!, expected, mode, it.one)
      if (fault !== undefined) wrong.push(`${it.one.group}, ${it.one.name}: ${fault}`)
    }
    expect(wrong).toEqual([])
  })

  it.each(stopping(mode))('a run stops at, and has stored what came before, $label', async ({ tried, name }) => {
    await stops(here, mode, tried, name)
  })
})

const dedup = DOCUMENT_MODES.find(({ name }) => name === 'append_dedup')!
const oneAGroup = Map.groupBy(stopping(dedup), ({ tried }) => `${tried.one.group} ${tried.expected.kind}`)

it.each([...oneAGroup.values()].map(([first]) => first!))('the process stops at $label', async ({ tried, name }) => {
  await stops(asProcess, dedup, tried, `${name}-process`)
})

function stopping(mode: DocumentMode): { tried: Tried; label: string; name: string }[] {
  return tried(mode, 'rejected', 'fault')
    .filter(({ one }) => !mode.variant || one.expected.has(mode.name))
    .map((tried, index) => {
      return { tried, label: `${tried.one.group}: ${tried.one.name}`, name: `stop-${mode.name}-${index}` }
    })
}

const errorOf = (done: Finished): unknown => done.messages.find(({ type }) => type === 'TRACE')?.['trace']

/** The run ends with the one error that names the place and not the data; what came before is stored, and nothing else. */
async function stops(run: Run, mode: DocumentMode, { one, expected }: Tried, name: string): Promise<void> {
  const input = messages(
    record(good(one.key, mode, 'before'), name),
    '',
    state('{"n":1}', name),
    one.line(name),
    record(good(one.key, mode, 'behind'), name),
    state('{"n":2}', name),
  )
  const done = await run(configOf(mode), [mode.streamOf(name, one.key)], input)

  const error = trace(done)
  const table = name.replaceAll('-', '_')
  if (expected.kind === 'rejected') {
    expect(error.failure_type).toBe('config_error')
    expect(error.stream_descriptor).toEqual({ name })
    for (const part of [`stream "${name}"`, `"${table}"`, 'line 4,']) expect(error.message).toContain(part)
    expect(error.message).toMatch(pattern(`*: ${expected.words}. *`))
  } else if (expected.kind === 'fault') {
    expect(error.failure_type).toBe('system_error')
    // what to do may follow what was found
    expect(error.message).toMatch(pattern(`Input line 4 ${expected.words.replace(/\.$/, '')}*`))
  }
  expect(done.stdout + done.stderr).not.toContain('canary')
  expect(done.states).toEqual([
    state('{"n":1}', name).replace(/\}\}$/, ',"destinationStats":{"recordCount":1.0,"rejectedRecordCount":0.0}}}'),
  ])
  const rows = await rowsOf(service, table)
  expect(rows).toHaveLength(1)
  const isNested = one.key.startsWith('[')
  const point = { ...one, emitted: '1', changes: '[]', hoisted: isNested ? `,${one.sent}:"before"` : '' }
  const document = good(isNested ? one.key : one.sent, mode, 'before')
  expect(rowFault(rows[0]!, Buffer.from(document), mode, point)).toBeUndefined()
}

/** A document without fault. @param key JSON text of the primary key's field or path */
function good(key: string, mode: DocumentMode, value: string): string {
  const path = mode.keyed ? [JSON.parse(key) as string | string[]].flat() : ['id']
  const inside = path.reduceRight((text, name) => `{${JSON.stringify(name)}:${text}}`, JSON.stringify(value))
  return inside.replace(/\}$/, ',"z":1.0}')
}

/** A whole text in which each `*` stands for any text. */
function pattern(words: string): RegExp {
  const pieces = words.split('*').map((text) => text.replaceAll(/[\\^$.+?()[\]{}|/-]/g, String.raw`\$&`))
  return new RegExp(`^${pieces.join('.*')}$`, 's')
}
