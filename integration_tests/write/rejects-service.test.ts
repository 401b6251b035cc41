// `write` as a process, and records that the service does not store: what is kept of them, and what is told.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import type { AnswerMaker } from '../../src/local-service/types.ts'
import { run, workFolder } from '../connector.ts'
import { argsOf, countsIn, KEY, logs, record, rejectsOf, state, trace, write, type RejectRow } from './driver.ts'

/** Refuses a request that holds the word, and echoes what it was asked. */
const refusing: AnswerMaker = ({ body }) =>
  Buffer.from(body).includes('poison')
    ? { status: 400, body: { message: `no at /x?apikey=${encodeURIComponent(KEY)}`, reasons: [`key ${KEY}`] } }
    : undefined
const prepare = (service: LocalService): void => service.fault({ table: 'orders', every: 1, answer: refusing })

/** A few of many are bad; the same key again and again in between. */
const LINES = Array.from({ length: 1_000 }, (_, index) => {
  if (index % 250 === 100) return record(`{"id":${index},"x":"poison ${index}"}`)
  return index % 100 === 7 ? record('{"id":"hot","x":"poison"}') : record(`{"id":${index}}`)
})
const BAD = LINES.flatMap((line, index) => (line.includes('poison ') ? [index] : []))
const HOT = LINES.flatMap((line, index) => (line.includes('hot') ? [index] : []))

it('sends a row whose older versions waited in the same request without their room', async () => {
  const answer: AnswerMaker = ({ body }) => (body.length > 400_000 ? { status: 413, body: {} } : undefined)
  const versions = [1, 2].map((version) => record(`{"id":1,"version":${version},"x":"${'x'.repeat(300_000)}"}`))
  const done = await write({
    input: [record('{"id":0}'), ...versions, state('1')].join('\n'),
    // both wait while another row is under way, unless the machine is very slow: then they are sent one after another
    config: { concurrency: 1 },
    prepare: (service) => {
      service.fault({ table: 'orders', next: 1, delay_ms: 2_000 })
      service.fault({ table: 'orders', every: 1, answer })
    },
  })
  expect([done.code, done.rows('orders').flatMap((row) => /"version":\d/.exec(row) ?? [])]).toEqual([
    0,
    ['"version":2'],
  ])
  expect(done.states.map(countsIn)).toMatchObject([{ recordCount: 3, rejectedRecordCount: 0 }])
})

describe('divert', () => {
  const input = [...LINES, state('1'), record('{"id":5}'), state('2')].join('\n')
  /** All of the hot key's versions stand behind one another in one buffer, or a few. */
  const expectAll = (told: readonly Pick<RejectRow, 'line' | 'superseded' | 'superseded_at'>[]): void => {
    const hot = told.filter(({ line }) => HOT.includes(line - 1))
    expect(told.filter(({ line }) => !HOT.includes(line - 1)).map(({ line }) => line - 1)).toEqual(BAD)
    expect(hot.reduce((sum, { superseded }) => sum + 1 + superseded, 0)).toBe(HOT.length)
    expect(hot.at(-1)!.line - 1).toBe(HOT.at(-1))
    // the lines of what fell with each, newest first; the column is there only where there are any
    for (const { line, superseded, superseded_at: fell } of hot) {
      const to = HOT.indexOf(line - 1)
      const lines = HOT.slice(to - superseded, to).map((index) => index + 1)
      expect(fell).toEqual(superseded === 0 ? undefined : lines.toReversed())
    }
  }
  const rejectedCount = BAD.length + HOT.length

  it('keeps exactly those in the table, and counts them and those they stood for', async () => {
    const done = await write({ input, config: { on_rejected: 'divert' }, prepare })
    expect([done.code, done.rows('orders').length]).toEqual([0, 1_000 - rejectedCount])
    const rows = rejectsOf(done.rows('rejected_records'))
    expectAll(rows)
    for (const { line, message } of rows) expect(message).toBe(LINES[line - 1])
    expect(done.states.map(countsIn)).toEqual([
      { recordCount: 1_000 - rejectedCount, rejectedRecordCount: rejectedCount },
      { recordCount: 1, rejectedRecordCount: 0 },
    ])
    expect(logs(done, 'WARN').split('\n')).toHaveLength(1)
    expect(logs(done, 'WARN')).toContain('no at /x?apikey=******: key ******.')
    expect(logs(done, 'INFO')).toMatch(new RegExp(`Rejected: ${rejectedCount} `))
    for (const form of [KEY, encodeURIComponent(KEY)]) {
      expect(done.stdout).not.toContain(form)
      expect(rows.map(({ reason }) => reason).join('')).not.toContain(form)
    }
  })

  it('keeps exactly those in the file', async () => {
    await using work = await workFolder()
    const file = `${work.path}/rejects.jsonl`
    const done = await write({ input, config: { on_rejected: 'divert', rejected_file: file }, prepare })
    expect([done.code, done.rows('orders').length]).toEqual([0, 1_000 - rejectedCount])
    const text = await readFile(file, 'utf8')
    const kept = text.split('\n').slice(0, -1)
    const rejections = kept.map((line) => (JSON.parse(line) as { rejection: RejectRow }).rejection)
    expectAll(rejections.toSorted((a, b) => a.line - b.line))
    for (const [index, { line }] of rejections.entries())
      expect(kept[index]!.startsWith(`${LINES[line - 1]!.slice(0, -1)},"rejection":{`)).toBe(true)
    for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)])
      expect(text).not.toContain(form)
    const repaired = await write({ input: text.replaceAll('poison', 'cured'), prepare })
    expect([repaired.code, repaired.rows('orders').length]).toEqual([0, BAD.length + 1])
  })

  it('prints no state before its rejects are kept', async () => {
    const done = await write({
      input: [record('{"id":1}'), record('{"id":2,"x":"poison"}'), state('1')].join('\n'),
      config: { on_rejected: 'divert' },
      prepare(service) {
        prepare(service)
        service.fault({ table: 'rejected_records', every: 1, answer: { status: 503 } })
      },
    })
    expect(trace(done).failure_type).toBe('transient_error')
    expect([done.states, done.rows('orders').length]).toEqual([[], 1])
  })
})

describe('a record that is too large for the service', () => {
  const large = record(`{"id":2,"x":"${'é'.repeat(500_000)}"}`)
  const input = [record('{"id":1}'), large, state('1')].join('\n')

  async function limited(maxBody: number, config: object) {
    await using service = await startLocalService({ maxBody })
    await using work = await workFolder()
    const done = await run(await argsOf(service, work, undefined, config), input)
    return { ...done, orders: service.rows('orders'), rejects: rejectsOf(service.rows('rejected_records')) }
  }

  it('is kept in parts', async () => {
    const done = await limited(300_000, { on_rejected: 'divert' })
    expect([done.code, done.orders, done.rejects.length]).toEqual([0, ['{"keys":["id"],"id":1}'], 4])
    expect(done.rejects.map(({ message }) => message).join('')).toBe(large)
    expect(done.rejects[0]!.reason).toContain('413')
    expect(done.states.map(countsIn)).toEqual([{ recordCount: 1, rejectedRecordCount: 1 }])
  })

  it('ends the run where even a part of it is, with a way out that leads on', async () => {
    const done = await limited(100_000, { on_rejected: 'divert' })
    expect(trace(done)).toMatchObject({ failure_type: 'config_error' })
    expect(trace(done).message).toMatch(/"rejected_records" itself .*line 2.*413.*rejected_records/)
    expect(done.states).toEqual([])
    await using work = await workFolder()
    const file = `${work.path}/rejects.jsonl`
    expect((await limited(100_000, { on_rejected: 'divert', rejected_file: file })).code).toBe(0)
    expect((await readFile(file, 'utf8')).startsWith(`${large.slice(0, -1)},"rejection":`)).toBe(true)
  })
})

describe('fail', () => {
  it('names the line, what it stood for, and the key only if it may', async () => {
    const versions = [1, 2, 3].map((x) => record(`{"id":"canary","x":"poison${x}"}`))
    const input = [record('{"id":1}'), ...versions, state('1')].join('\n')
    const silent = await write({ input, prepare })
    expect(trace(silent)).toMatchObject({ failure_type: 'config_error', stream_descriptor: { name: 'orders' } })
    expect(trace(silent).message).toMatch(
      /input line 4, .*no at \/x\?apikey=\*{6}: key \*{6}\. It replaced 2 older versions/,
    )
    expect(silent.stdout).not.toContain('canary')
    const open = await write({ input, prepare, config: { log_keys: true } })
    expect(trace(open).message).toContain('with the key "canary"')
  })
})
