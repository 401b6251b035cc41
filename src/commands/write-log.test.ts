import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { startLocalService } from '../local-service/start.ts'
import type { Io } from '../process/io.ts'
import { Output } from '../process/output.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { facts } from '../run/testing/facts.ts'
import { hintAtTerminal } from './write-display.ts'
import { openLog, progressLines } from './write-log.ts'
import { write } from './write.ts'

async function saidAt(level: string | undefined): Promise<{ levels: string; text: string; hasRequests: boolean }> {
  const chunks: Buffer[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  const stdout = new Output(sink)
  const scrubber = new Scrubber(['hidden-key'])
  const { log, onExchange } = await openLog({
    stdout,
    stderr: stdout,
    isTty: false,
    columns: undefined,
    env: { LOG_LEVEL: level },
    scrubber,
  })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) await log(level, 'words with hidden-key')
  onExchange?.({ method: 'GET', path: '/x', status: 200, failure: undefined, ms: 1, points: undefined, bytes: 0 })
  await stdout.flush()
  const text = Buffer.concat(chunks).toString()
  const levels = text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { log: { level: string } }).log.level)
  expect(text).not.toContain('hidden-key')
  return { levels: levels.join(), text, hasRequests: onExchange !== undefined }
}

test('LOG lines of the level asked for, and of graver ones', async () => {
  expect(await saidAt(undefined)).toMatchObject({ levels: 'INFO,WARN,ERROR', hasRequests: false })
  expect(await saidAt('debug')).toMatchObject({ levels: 'DEBUG,INFO,WARN,ERROR,DEBUG', hasRequests: true })
  expect(await saidAt('WARN')).toMatchObject({ levels: 'WARN,ERROR', hasRequests: false })
  expect(await saidAt('error')).toMatchObject({ levels: 'ERROR', hasRequests: false })
})

test('what is no level is said once, and not shown', async () => {
  const { levels, text } = await saidAt('loud')
  expect(levels).toBe('WARN,INFO,WARN,ERROR')
  expect(text.split('\n')[0]).toContain('LOG_LEVEL is none of debug, info, warn, error: using info.')
})

afterEach(() => vi.useRealTimers())

test('write tells a run of more than a minute how it comes along, without secrets, and says nothing behind its end', async () => {
  await using service = await startLocalService({ clients: [{ id: 7, key: 'requests' }] })
  const folder = await mkdtemp(join(tmpdir(), 'progress-'))
  const [configFile, catalogFile] = [join(folder, 'config.json'), join(folder, 'catalog.json')]
  await writeFile(configFile, JSON.stringify({ import_url: service.url, client_id: 7, api_key: 'requests' }))
  const stream = { name: 'orders', json_schema: {}, supported_sync_modes: ['incremental'] }
  const modes = { sync_mode: 'incremental', destination_sync_mode: 'append_dedup', primary_key: [['id']] }
  await writeFile(catalogFile, JSON.stringify({ streams: [{ stream, ...modes }] }))
  const lines: string[] = []
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(...chunk.toString().split('\n').slice(0, -1))
      done()
    },
  })
  const more = Promise.withResolvers<void>()
  const input = {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from('{"type":"RECORD","record":{"stream":"orders","data":{"id":1},"emitted_at":1}}\n')
      await more.promise
    },
    destroy() {},
  }
  const eventLoopUtilization = performance.eventLoopUtilization.bind(performance)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldAdvanceTime: true })
  // which the clock that takes its place does not know
  Object.assign(performance, { eventLoopUtilization })
  const output = new Output(out)
  const io: Io = {
    argv: [],
    env: {},
    openInput: () => Promise.resolve(input),
    stdout: output,
    stderr: output,
    scrubber: new Scrubber(),
    isTty: false,
    columns: undefined,
    signal: new AbortController().signal,
  }
  const running = write({ configFile, catalogFile }, io)
  await vi.waitFor(() => expect(service.rows('orders')).toHaveLength(1), { timeout: 30_000 })
  const told = (): string[] => lines.filter((line) => line.includes('Under way: '))
  expect(told()).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  await vi.waitFor(() => expect(told()).toHaveLength(1))
  expect(told()[0]).toMatch(
    /^\{"type":"LOG","log":\{"level":"INFO","message":"Under way: 1 record \(\d+\/s\), 1 row sent, 0 rejected, 0 unsettled; 0 of \d+ \*{6} in flight","event":"run\.progress"\}\}$/,
  )
  more.resolve()
  expect(await running).toBe(0)
  await output.flush()
  const end = lines.length
  await vi.advanceTimersByTimeAsync(120_000)
  await output.flush()
  expect(lines).toHaveLength(end)
  expect(told()).toHaveLength(1)
  await rm(folder, { recursive: true })
})

test('a reader that is gone stops nothing: each minute is told', async () => {
  const output = new Output(new Writable({ write: (_chunk, _encoding, done) => done(new Error('nobody reads')) }))
  const io = { stdout: output, stderr: output, isTty: false, columns: undefined, env: {}, scrubber: new Scrubber() }
  const { log } = await openLog(io)
  let said = 0
  const lines = progressLines((...entry) => {
    said++
    return log(...entry)
  })
  for (let minute = 0; minute < 5; minute++) {
    lines.show(facts({ at: 60_000 * minute }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(said).toBe(4)
})

async function hinted(isTTY: boolean | undefined): Promise<string> {
  let text = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const stderr = new Output(sink)
  await hintAtTerminal(isTTY === undefined ? {} : { isTTY }, { stderr })
  await stderr.flush()
  return text
}

test('a terminal is told what is expected, a pipe or a file nothing', async () => {
  const hint = await hinted(true)
  for (const words of ['standard input', 'Ctrl-D', '< messages.jsonl']) expect(hint).toContain(words)
  for (const line of hint.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect([await hinted(false), await hinted(undefined)]).toEqual(['', ''])
})

test('a standard error that is closed is no reason to stop', async () => {
  const stderr = new Output(new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) }))
  await hintAtTerminal({ isTTY: true }, { stderr })
  await stderr.flush().catch(() => {})
  await expect(hintAtTerminal({ isTTY: true }, { stderr })).resolves.toBeUndefined()
})
