import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { aboutRun } from './testing/about.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import type { RejectFacts } from '../../run/run-facts.ts'
import { RunFiles, type BegunRun } from './run-files.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const folder = ownFolder('test')
let warnings: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  warnings = []
})
afterEach(() => vi.useRealTimers())

const path = (): string => join(folder, 'r.html')
const text = (): Promise<string> => readFile(path(), 'utf8')
const open = (io: { signal?: AbortSignal; stopAsked?: AbortSignal } = {}, what = 'report'): Promise<RunFiles> =>
  RunFiles.open(
    { [what]: path() },
    {
      command: 'write',
      runId: 'one',
      files: [],
      log: async (level, message) => void (level === 'warn' && warnings.push(message)),
    },
    { scrubber: new Scrubber(['secret<stream>']), signal: new AbortController().signal, ...io },
  )

const about = (records: () => number, rejects?: RejectFacts): BegunRun<unknown> =>
  aboutRun('secret<stream>', records, rejects)

/** Seconds pass, until what follows from that is written.
 *  @param from those that have passed before */
async function pass(report: RunFiles, seconds: number, from = 0): Promise<void> {
  for (let nth = 1; nth <= seconds; nth++) {
    await vi.advanceTimersByTimeAsync(1000)
    report.tick(from + nth)
  }
  await new Promise((resolve) => setImmediate(resolve))
}

test('a page is written when it begins, once a minute, and at the end', async () => {
  let records = 1111
  const report = await open()
  await report.begin(about(() => records))
  expect(await text()).toMatch(/Under way.*1,111/)
  records = 2222
  await pass(report, 59)
  expect(await text()).not.toContain('2,222')
  await pass(report, 1, 59)
  await vi.waitFor(async () => expect(await text()).toMatch(/Under way.*1 min.*2,222/))
  records = 3333
  await pass(report, 4, 60)
  await report.end('complete')
  expect(await text()).toMatch(/Done.*1 min 4 s.*3,333/)
  expect(await text()).not.toContain('secret')
  // nothing goes on
  records = 4444
  await pass(report, 60)
  expect(await text()).not.toContain('4,444')
  expect(warnings).toEqual([])
})

test('a run that is asked to stop says so at once, and how it stopped in the end', async () => {
  const stop = new AbortController()
  const report = await open({ signal: stop.signal, stopAsked: new AbortController().signal })
  await report.begin(about(() => 0))
  stop.abort()
  await vi.waitFor(async () => expect(await text()).toContain('>Stopping<'))
  await report.end('stopped')
  expect(await text()).toMatch(/>Stopped<.*The run could no longer write its output/)
})

test('the first end counts', async () => {
  const report = await open()
  await report.begin(about(() => 0))
  await report.fail(new Error('secret<stream>'))
  await report.fail(new Error('another'))
  expect(await text()).toMatch(/>Failed<.*An unexpected fault stopped the run \(its words are in the log\)/)
})

test('of a rejected record that ends the run neither its key nor words of the service are told', async () => {
  const error = new ConnectorError('config', 'program.fault', 'with the key "CANARY": CANARY')
  const count = {
    name: 'orders',
    table: 'orders',
    by: 'refused',
    reason: 'the service answered 400',
    records: 3,
    first: 'input line 1',
  } as const
  const report = await open()
  await report.begin(about(() => 5, { all: [count], stop: { ...count, error }, recordsOf: () => 3 }))
  await report.fail(error)
  const words =
    'A record of &quot;orders&quot;, table &quot;orders&quot;, cannot be stored: the service answered 400. The log'
  expect(await text()).toContain(words)
  expect(await text()).toMatch(/the service<.*the service answered 400<\/td>.*<td data-of="Records">3</)
  expect(await text()).not.toContain('CANARY')
})

test('what can no longer be written is said once', async () => {
  const report = await open()
  await report.begin(about(() => 0))
  await rm(folder, { recursive: true })
  await pass(report, 60)
  await vi.waitFor(() => expect(warnings).toEqual([expect.stringContaining('there is no such folder')]))
  await report.end('complete')
  expect(warnings).toHaveLength(1)
})

test('a summary is written as the report is, and holds no secret', async () => {
  const report = await open({}, 'summary')
  await report.begin(about(() => 7))
  const told = async () => JSON.parse(await text()) as Record<string, unknown>
  expect(await told()).toMatchObject({ run_id: 'one', result: 'running', ended: null, total: { records: 7 } })
  await pass(report, 60)
  await vi.waitFor(async () => expect(await told()).toMatchObject({ seconds: 60 }))
  await report.fail(new ConnectorError('config', 'program.fault', 'it is secret<stream>'))
  expect(await told()).toMatchObject({ result: 'failed', exit_code: 1, error: { kind: 'config' }, changes: null })
  expect(await text()).not.toContain('secret')
})
