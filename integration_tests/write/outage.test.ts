// What a run of `write` says when the service stops answering, and when it answers again.

import type { ChildProcess } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { finished, start, workFolder } from '../connector.ts'
import type { Finished, Message, WorkFolder } from '../connector.ts'
import { until } from '../kafka/until.ts'
import { AUTHORITY, TakeableService } from './takeable-service.ts'
import type { Mood } from './takeable-service.ts'
import { KEY, record, state, stream, trace } from './driver.ts'

/** `write` with its input open. */
class WriteRun {
  readonly #child: ChildProcess
  readonly ended: Promise<Finished>
  #stdout = ''
  #id = 0

  static async open(service: TakeableService, work: WorkFolder, more: object = {}, level?: string): Promise<WriteRun> {
    const config = {
      import_url: service.url,
      client_id: 7,
      api_key: KEY,
      retry_for_seconds: 120,
      ...(service.url.startsWith('https') ? { ca_certificate: AUTHORITY } : {}),
      ...more,
    }
    const args = [
      'write',
      '--config',
      await work.file('config.json', config),
      '--catalog',
      await work.file('catalog.json', { streams: [stream('orders')] }),
    ]
    const env = { ...process.env, ...(level === undefined ? {} : { LOG_LEVEL: level }) }
    return new WriteRun(start(args, { env }))
  }

  constructor(child: ChildProcess) {
    this.#child = child
    this.ended = finished(child)
    child.stdout!.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()))
  }

  /** A record, and a STATE behind it. */
  push(): number {
    const id = ++this.#id
    this.#child.stdin!.write(`${record(`{"id":${id}}`)}\n${state(`{"id":${id}}`)}\n`)
    return id
  }

  async stored(id: number): Promise<void> {
    await this.#has(`"stream_state":{"id":${id}}`)
  }

  async said(level: string, words: string, times = 1): Promise<void> {
    await until(
      () => this.logs(level).filter((message) => message.includes(words)).length >= times,
      () => `it never said ${words}:\n${this.#stdout}`,
    )
  }

  logs(level: string): string[] {
    const lines = this.#stdout.split('\n').slice(0, -1)
    const messages = lines.map((line) => (JSON.parse(line) as Message)['log'] as { level: string; message: string })
    return messages.filter((log) => log?.level === level).map(({ message }) => message)
  }

  async end(): Promise<Finished> {
    this.#child.stdin!.end()
    return await this.ended
  }

  stop(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async #has(text: string): Promise<void> {
    await until(
      () => this.#stdout.includes(text),
      () => `${text} never came:\n${this.#stdout}`,
    )
  }
}

const runs: WriteRun[] = []
const opened = async (...args: Parameters<typeof WriteRun.open>): Promise<WriteRun> => {
  const run = await WriteRun.open(...args)
  runs.push(run)
  return run
}

afterEach(async () => {
  for (const run of runs.splice(0)) {
    run.stop('SIGKILL')
    await run.ended
  }
})

describe('write', () => {
  it('names one that only hangs after 10 s, with how much is under way', async () => {
    await using service = await TakeableService.open()
    await using work = await workFolder()
    const run = await opened(service, work)
    await run.stored(run.push())
    await service.turn('hanging')
    run.push()
    await run.said('WARN', `The service is unavailable: no answer from ${service.place} for 10 s, 1 request under way.`)
    run.stop('SIGKILL')
  })

  it('says it again when the cause is another, and at LOG_LEVEL=warn too', async () => {
    await using service = await TakeableService.open()
    await using work = await workFolder()
    const run = await opened(service, work, {}, 'warn')
    run.push()
    await service.turn('refused')
    run.push()
    await run.said('WARN', 'connection refused (ECONNREFUSED)')
    await service.turn('away')
    await run.said('WARN', 'now for another reason: 503 Service Unavailable')
    await service.turn('up')
    expect((await run.end()).code).toBe(0)
    expect(run.logs('INFO')).toEqual([])
    expect(run.logs('WARN')).toHaveLength(2)
  })

  it('tells the cause while the end waits for it', async () => {
    await using service = await TakeableService.open()
    await using work = await workFolder()
    const run = await opened(service, work)
    await service.turn('refused')
    run.push()
    const ended = run.end()
    await run.said('INFO', 'Nothing more is read')
    expect(run.logs('INFO').find((line) => line.startsWith('Nothing more is read'))).toMatch(
      /the service has been down for \d+ s \(connection refused\)/,
    )
    await service.turn('up')
    expect((await ended).code).toBe(0)
  })

  it.each<[Mood]>([['once'], ['throttled']])('says nothing of a service that is %s', async (mood) => {
    await using service = await TakeableService.open()
    await using work = await workFolder()
    const run = await opened(service, work)
    await service.turn(mood)
    const first = service.arrived.length
    run.push()
    await until(
      () => {
        if (mood === 'once') run.push()
        return service.arrived.length > first + 3 && performance.now() - service.arrived[first]! > 4_000
      },
      () => 'nothing is sent',
    )
    await service.turn('up')
    expect((await run.end()).code).toBe(0)
    expect(run.logs('WARN')).toEqual([])
    expect(run.logs('INFO').join()).not.toContain('answers again')
  })

  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])('ends by %s in the middle of an outage', async (signal) => {
    await using service = await TakeableService.open()
    await using work = await workFolder()
    const run = await opened(service, work)
    await service.turn('refused')
    run.push()
    await run.said('WARN', 'is unavailable')
    run.stop(signal)
    expect((await run.ended).code).toBe(signal === 'SIGTERM' ? 143 : 130)
  })

  it('stops at once, and says why, where no other try can help', async () => {
    await using service = await TakeableService.open(true)
    await using work = await workFolder()
    const run = await opened(service, work, { ca_certificate: undefined })
    run.push()
    expect(trace(await run.ended).message).toMatch(/TLS certificate of https:\/\/localhost:\d+ is self-signed/)
    expect(run.logs('WARN')).toEqual([])
  })
})
