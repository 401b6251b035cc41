// `write` as a process: how it ends, by the service's doing, by a signal, by itself.

import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { finished, start, workFolder } from '../connector.ts'
import { argsOf, record, state } from './driver.ts'

describe('ending', () => {
  it('on an input that is a folder says so and exits 1', async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    await using folder = await open(work.path)
    const ended = await finished(start(await argsOf(service, work), { stdin: folder.fd }))
    expect(ended.code).toBe(1)
    expect(ended.lines.at(-1)).toContain('"message":"Standard input cannot be read: it is a folder. ')
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
})
