// `write` as a process: how it ends, by the service's doing, by a signal, by itself.

import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import type { LocalService } from '../../src/local-service/start.ts'
import { finished, run, start, workFolder } from '../connector.ts'
import { argsOf, KEY, logs, record, state, stream, trace, write } from './driver.ts'

describe('the service', () => {
  const input = `${record('{"id":1}')}\n${state('1')}\n${record('{"id":2}', 'users')}\n${state('2', 'users')}\n`
  const streams = [stream('orders'), stream('users')]

  it.each<[string, number, string]>([
    ['400', 400, 'config_error'],
    ['401', 401, 'config_error'],
    ['404', 404, 'config_error'],
    ['302', 302, 'config_error'],
    ['503', 503, 'transient_error'],
    ['413', 413, 'config_error'],
  ])('answering %s ends the run in words', async (_name, status, failure) => {
    const prepare = (service: LocalService): void =>
      service.fault({
        table: 'users',
        every: 1,
        answer: {
          status,
          body: `{"code":${status},"message":"no, ${encodeURIComponent(KEY)}","reasons":["bad things"]}`,
        },
      })
    const done = await write({ input, streams, prepare })
    const error = trace(done)
    expect(error.failure_type).toBe(failure)
    if (status === 400) expect(error.message).toMatch(/bad things/)
    if (status === 400 || status === 413) expect(error).toMatchObject({ stream_descriptor: { name: 'users' } })
    expect(done.rows('orders')).toHaveLength(1)
    expect(done.rows('users')).toHaveLength(0)
  })

  it('answering 2xx with a page of its own is not believed', async () => {
    const done = await write({
      input,
      streams,
      prepare: (service) => service.fault({ every: 1, answer: { status: 200, body: '<html>Sign in</html>' } }),
    })
    expect(trace(done).failure_type).toBe('config_error')
    expect(done.states).toHaveLength(0)
  })

  it('asking for more time than there is ends the run at once', async () => {
    const done = await write({
      input,
      streams,
      prepare: (service) => service.fault({ every: 1, answer: { status: 429, headers: { 'retry-after': '3600' } } }),
    })
    expect(trace(done).failure_type).toBe('transient_error')
  })

  it('refusing what is too large gets halves', async () => {
    const many = Array.from({ length: 100 }, (_, id) => record(`{"id":${id},"text":"${'x'.repeat(500)}"}`)).join('\n')
    await using service = await startLocalService({ maxBody: 6000 })
    await using work = await workFolder()
    const args = await argsOf(service, work)
    expect((await run(args, `${many}\n${state('1')}\n`)).states).toHaveLength(1)
    expect(service.rows('orders')).toHaveLength(100)
  })
})

describe('ending', () => {
  it('on an input that is a folder says so and exits 1', async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    await using folder = await open(work.path)
    const ended = await finished(start(await argsOf(service, work), { stdin: folder.fd }))
    expect(ended.code).toBe(1)
    expect(ended.lines.at(-1)).toContain('"message":"Standard input cannot be read: it is a folder. ')
  })

  it('on SIGHUP commits what was earned and exits 129', async () => {
    let upserts = 0
    await using service = await startLocalService({ onUpsert: () => void upserts++ })
    await using work = await workFolder()
    const args = await argsOf(service, work)
    const child = start(args)
    const done = finished(child)
    child.stdin!.write(`${record('{"id":1}')}\n${state('1')}\n`)
    while (service.tables().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    service.fault({ every: 1, delay_ms: 300 })
    child.stdin!.write(`${record('{"id":2}')}\n${state('2')}\n`)
    await expect.poll(() => upserts, { timeout: 60_000, interval: 10 }).toBe(2)
    child.kill('SIGHUP')
    const ended = await done
    expect(ended.code).toBe(129)
    expect(ended.states).toHaveLength(2)
    expect(service.rows('orders')).toHaveLength(2)
  })

  it.each<[string, string | Buffer]>([
    ['in mid-line', record('{"id":3}').slice(0, 40)],
    ['within a word', record('{"id":3,"gone":true}').replace(/true.*$/s, 'tru')],
    ['in mid-character', Buffer.from(record('{"id":3,"text":"é"}')).subarray(0, -24)],
  ])(
    'on SIGTERM as the input ends %s, which a platform that is stopping causes, ends as on SIGTERM',
    async (_, half) => {
      let upserts = 0
      await using service = await startLocalService({ onUpsert: () => void upserts++ })
      await using work = await workFolder()
      const args = await argsOf(service, work)
      for (let times = 0; times < 3; times++) {
        const child = start(args)
        const done = finished(child)
        const [first, second] = [state(`${times}.1`), state(`${times}.2`)]
        upserts = 0
        service.clearFaults()
        child.stdin!.write(`${record('{"id":1}')}\n${first}\n`)
        await expect.poll(() => upserts, { timeout: 60_000, interval: 10 }).toBe(1)
        service.fault({ every: 1, delay_ms: 300 })
        child.stdin!.write(`${record('{"id":2}')}\n${second}\n`)
        await expect.poll(() => upserts, { timeout: 60_000, interval: 10 }).toBe(2)
        child.stdin!.end(half)
        await once(child.stdin!, 'finish')
        child.kill('SIGTERM')
        const ended = await done
        expect([ended.code, ended.messages.filter(({ type }) => type === 'TRACE')]).toEqual([143, []])
        expect(ended.states).toHaveLength(2)
      }
    },
  )

  it('names the line an input ends in, if nobody asks it to stop', async () => {
    const ended = await write({ input: `${record('{"id":1}')}\n${state('1')}\n${record('{"id":2}').slice(0, 40)}` })
    expect(trace(ended)).toMatchObject({ failure_type: 'system_error' })
    expect(trace(ended).message).toMatch(/^Input line 3 .*its writer was cut off/)
    expect([ended.states.length, ended.rows('orders').length]).toEqual([1, 1])
  })

  it('on SIGTERM ends also when its output is open and nobody reads it', { timeout: 60_000 }, async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    const child = start(await argsOf(service, work))
    child.stdout!.pause()
    child.stdin!.on('error', () => {})
    for (let i = 0; i < 20_000; i++) child.stdin!.write(`${record(`{"id":${i}}`)}\n${state(`${i}`)}\n`)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    child.kill('SIGTERM')
    // as a shell or a container tells it, both are 143
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect(code === 143 || signal === 'SIGTERM').toBe(true)
  })

  it('ends when nobody reads its output', async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    const args = await argsOf(service, work)
    const child = start(args)
    child.stdout!.destroy()
    child.stdin!.on('error', () => {})
    for (let i = 0; i < 50; i++) child.stdin!.write(`${record(`{"id":${i}}`)}\n${state(`${i}`)}\n`)
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(1)
  })

  it('warns of streams that did not complete, and exits 0', async () => {
    const withGenerations = stream('orders', { generation_id: 3, minimum_generation_id: 0, sync_id: 1 })
    const complete =
      '{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":1,"stream_status":{"stream_descriptor":{"name":"orders"},"status":"COMPLETE"}}}'
    const unfinished = await write({ input: record('{"id":1}'), streams: [withGenerations] })
    expect([unfinished.code, logs(unfinished, 'WARN')]).toEqual([0, expect.stringContaining('COMPLETE')])
    const done = await write({ input: `${record('{"id":1}')}\n${complete}`, streams: [withGenerations] })
    expect([done.code, logs(done, 'WARN')]).toEqual([0, ''])
  })

  it.each([
    [['wirte'], 'write'],
    [['write'], '--config'],
    [['write', '--confg', 'x'], '--confg'],
    [[], 'spec'],
  ])('says what was wrong with %j and exits 2', async (args, words) => {
    const done = await run(args)
    expect(done.code).toBe(2)
    expect(done.stderr).toContain(words)
    expect(done.stdout).toBe('')
  })
})
