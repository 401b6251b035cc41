import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { startLocalService } from '../local-service/start.ts'
import { Output } from '../process/output.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import type { Io } from '../process/io.ts'
import { tellProgress } from './tell-progress.ts'
import { write } from './write.ts'

afterEach(() => vi.useRealTimers())

test('a line a minute, none while one has not left, none after the end', async () => {
  const ended = new AbortController()
  let now = 0
  let wake = Promise.withResolvers<void>()
  const said: string[] = []
  let left = Promise.withResolvers<void>()
  const clock = {
    now: () => now,
    wait: (ms: number, signal: AbortSignal) => {
      expect(ms).toBe(60_000)
      signal.addEventListener('abort', () => wake.resolve(), { once: true })
      return wake.promise
    },
  }
  const say = (level: string, message: string): Promise<void> => {
    said.push(`${level} ${message}`)
    return left.promise
  }
  const minute = async (): Promise<void> => {
    now += 60_000
    const due = wake
    wake = Promise.withResolvers()
    due.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const telling = tellProgress({ line: (at) => `at ${at}` }, say, clock, ended.signal)
  await minute()
  await minute()
  expect(said).toEqual(['INFO at 60000'])
  left.reject(new Error('nobody reads'))
  left = Promise.withResolvers()
  left.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  await minute()
  expect(said).toEqual(['INFO at 60000', 'INFO at 180000'])
  ended.abort()
  await telling
  expect(said).toHaveLength(2)
})

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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
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
  expect(told()).toHaveLength(1)
  expect(told()[0]).toMatch(
    /^\{"type":"LOG","log":\{"level":"INFO","message":"Under way: 1 record \(\d+\/s\), 1 row sent, 0 rejected, 0 unsettled; 0 of \d+ \*{6} in flight"\}\}$/,
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
