// `write` as a process after a second in which everything failed, at a service that goes on to fail one request in a hundred: the
// rate comes back. Counted are requests, and how many of them were under way together.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { run, workFolder } from '../connector.ts'
import { argsOf, record } from './driver.ts'

const RECORDS = 6000
const LATENCY_MS = 150
const PERMITS = 128

it.each([
  ['503', 100],
  ['500', 1000],
])('a second of failures and then some of %s leave nothing behind', async (status, every) => {
  let [requests, underWay, outageFrom, later] = [0, 0, 0, 0]
  /** Under way when each request came, of those after the outage. */
  const seen: number[] = []
  const server = createServer((request, answer) => {
    underWay++
    request.resume().on('end', () => {
      const now = performance.now()
      if (++requests === 500) outageFrom = now
      const isOut = outageFrom > 0 && now < outageFrom + 1000
      if (outageFrom > 0 && !isOut) seen.push(underWay)
      const isBad = isOut || (outageFrom > 0 && ++later % every === 0)
      setTimeout(() => {
        underWay--
        answer.writeHead(isBad ? Number(status) : 201, { 'Content-Type': 'application/json' }).end('{}')
      }, LATENCY_MS)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using work = await workFolder()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const input = Array.from({ length: RECORDS }, (_, id) => `${record(`{"id":${id}}`)}\n`).join('')
  const done = await run(await argsOf({ url }, work, undefined, { max_points: 1 }), input)
  server.close()
  expect([done.code, requests >= RECORDS, requests < RECORDS * 1.2]).toEqual([0, true, true])
  // the first ones find the pace again, the last ones are what is left
  const steady = seen.slice(1500, -2 * PERMITS)
  const mean = steady.reduce((sum, one) => sum + one, 0) / steady.length
  expect(steady.length).toBeGreaterThan(2000)
  expect(mean).toBeGreaterThan(PERMITS / 2)
})
