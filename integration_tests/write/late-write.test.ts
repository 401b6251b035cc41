// A write that lands late, real process and real sockets: the service takes an upsert, its sender gives up waiting and
// sends it again, and the first one is stored after all. A newer value must not lose against it.

import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { finished, start, workFolder } from '../connector.ts'
import { record, state, stream } from './driver.ts'

const LATE_MS = 1_500

interface Landed {
  readonly rows: readonly string[]
  /** What came, in order: the first row's values, and the other row. */
  readonly seen: readonly string[]
  readonly code: number | null
  readonly states: readonly string[]
}

async function writeWith(guardSeconds: number): Promise<Landed> {
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  await using service = await startLocalService({
    onUpsert: ({ body }) => {
      const text = body.toString()
      for (const word of ['old', 'new', 'other']) if (text.includes(`"${word}"`)) seen.push(word)
      first.resolve()
    },
  })
  await using work = await workFolder()
  service.fault({ next: 1, delay_ms: LATE_MS })
  const config = {
    import_url: service.url,
    client_id: 7,
    api_key: 'demo-key',
    request_timeout_seconds: 0.3,
    late_write_guard_seconds: guardSeconds,
  }
  const args = ['--config', await work.file('config.json', config)]
  args.push('--catalog', await work.file('catalog.json', { streams: [stream('orders')] }))
  const child = start(['write', ...args])
  const done = finished(child)
  child.stdin!.write(`${record('{"id":1,"is":"old"}')}\n`)
  await first.promise
  child.stdin!.end(`${record('{"id":1,"is":"new"}')}\n${record('{"id":2,"is":"other"}')}\n${state('1')}\n`)
  const { code, states } = await done
  await wait(LATE_MS + 200)
  return { rows: service.rows('orders'), seen, code, states }
}

it('a newer value waits for as long as the guard says, others do not', async () => {
  const { rows, seen, code, states } = await writeWith(3)
  expect([code, states.length]).toEqual([0, 1])
  expect(rows.toSorted()).toEqual(['{"keys":["id"],"id":1,"is":"new"}', '{"keys":["id"],"id":2,"is":"other"}'])
  expect(seen.indexOf('other')).toBeLessThan(seen.indexOf('new'))
  expect(seen.filter((word) => word === 'old').length).toBeGreaterThan(1)
})

it('without a guard the late write would win: this test can tell', async () => {
  const { rows } = await writeWith(0)
  expect(rows.toSorted()[0]).toBe('{"keys":["id"],"id":1,"is":"old"}')
})
