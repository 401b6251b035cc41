import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startLocalService } from '../local-service/start.ts'
import { ownFolder } from '../process/testing/own-folder.ts'
import { ioOf, NO_INPUT, Said } from '../process/testing/said.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { facts } from '../run/testing/facts.ts'
import { runLines } from '../telemetry/run-entries.ts'
import { hintAtTerminal } from './write-display.ts'
import { openLog, write } from './write.ts'

const folder = ownFolder('test')

async function saidAt(level: string | undefined): Promise<{ levels: string; text: string; hasRequests: boolean }> {
  const said = new Said()
  const io = ioOf(NO_INPUT, said, said, { env: { LOG_LEVEL: level }, scrubber: new Scrubber(['hidden-key']) })
  const { log, onExchange } = await openLog(io)
  for (const level of ['debug', 'info', 'warn', 'error'] as const) await log(level, 'words with hidden-key')
  onExchange?.({ method: 'GET', path: '/x', status: 200, failure: undefined, ms: 1, points: undefined, bytes: 0 })
  const text = await said.text()
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
  const [configFile, catalogFile] = [join(folder, 'config.json'), join(folder, 'catalog.json')]
  await writeFile(configFile, JSON.stringify({ import_url: service.url, client_id: 7, api_key: 'requests' }))
  const stream = { name: 'orders', json_schema: {}, supported_sync_modes: ['incremental'] }
  const modes = { sync_mode: 'incremental', destination_sync_mode: 'append_dedup', primary_key: [['id']] }
  await writeFile(catalogFile, JSON.stringify({ streams: [{ stream, ...modes }] }))
  const said = new Said()
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
  const running = write({ configFile, catalogFile }, ioOf(input, said, said))
  await vi.waitFor(() => expect(service.rows('orders')).toHaveLength(1), { timeout: 30_000 })
  const told = async (): Promise<string[]> =>
    (await said.text()).split('\n').filter((line) => line.includes('Under way: '))
  expect(await told()).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  await vi.waitFor(async () => expect(await told()).toHaveLength(1))
  expect((await told())[0]).toMatch(
    /^\{"type":"LOG","log":\{"level":"INFO","message":"Under way: 1 record \(\d+\/s\), 1 row sent, 0 rejected, 0 unsettled; 0 of \d+ \*{6} in flight","event":"run\.progress"\}\}$/,
  )
  more.resolve()
  expect(await running).toBe(0)
  const end = await said.text()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(await said.text()).toBe(end)
})

test('a reader that is gone stops nothing: each minute is told', async () => {
  const said = new Said(new Error('nobody reads'))
  const { log } = await openLog(ioOf(NO_INPUT, said, said))
  let entries = 0
  const entry = () => ({ message: `${++entries}` })
  const lines = runLines(log, entry)
  for (let minute = 0; minute < 5; minute++) {
    lines.show(facts({ at: 60_000 * minute }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(entries).toBe(4)
})

async function hinted(isTTY: boolean | undefined): Promise<string> {
  const stderr = new Said()
  await hintAtTerminal(isTTY === undefined ? {} : { isTTY }, { stderr: stderr.output })
  return await stderr.text()
}

test('a terminal is told what is expected, a pipe or a file nothing', async () => {
  const hint = await hinted(true)
  for (const words of ['standard input', 'Ctrl-D', '< messages.jsonl']) expect(hint).toContain(words)
  for (const line of hint.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect([await hinted(false), await hinted(undefined)]).toEqual(['', ''])
})

test('a standard error that is closed is no reason to stop', async () => {
  const closed = new Said(new Error('EPIPE'))
  const stderr = closed.output
  await hintAtTerminal({ isTTY: true }, { stderr })
  await closed.text()
  await expect(hintAtTerminal({ isTTY: true }, { stderr })).resolves.toBeUndefined()
})
