// A member of a group that no longer reaches it, while the service takes seconds for each of its requests: what it has under
// way lands before the next owner of its partitions begins, so that no row goes back to an older value.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeOwnKafka, uniqueName } from '../kafka/available.ts'
import { until } from '../kafka/until.ts'
import { rowsOf, StreamDriver, tableOf } from './driver.ts'
import { startIsolatingBroker } from './isolating-broker.ts'

const ROWS = 60
const SLOW_MS = 2_500

/** A way to a service that hands each request on when it has taken so long. */
async function slowWay(to: string) {
  const requests = { begun: 0, underWay: new Map<IncomingMessage, number>() }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.begun++
    requests.underWay.set(request, performance.now())
    const body = await buffer(request)
    await pause(SLOW_MS)
    const { method = 'GET', headers } = request
    const answer = await fetch(`${to}${request.url}`, {
      method,
      headers: { 'content-type': headers['content-type'] ?? 'application/json' },
      ...(body.length > 0 && { body }),
    })
    const text = await answer.text()
    requests.underWay.delete(request)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  const oldestMs = (): number => performance.now() - Math.min(...requests.underWay.values())
  return { requests, oldestMs, url, [Symbol.dispose]: close }
}

describeOwnKafka('a member that is cut off from its group', (startBroker) => {
  it('has written all it began before the next owner of its partitions begins', async ({ signal }) => {
    await using cluster = await startIsolatingBroker(startBroker, signal)
    await using driver = await StreamDriver.open(cluster.broker.bootstrap, signal)
    using slow = await slowWay(driver.service.url)
    const values = (version: number): string[] =>
      Array.from({ length: ROWS }, (_, id) => `{"id":${id},"version":${version}}`)
    const topic = await driver.filled(values(1))
    const table = tableOf(topic)
    const group = uniqueName('group')
    const given = { group, topics: [{ topic, keys: ['id'] }] }
    const kafka = { session_timeout_seconds: 8, rebalance_timeout_seconds: 16, heartbeat_seconds: 1 }
    const one = { max_points: 1, concurrency: 4, request_timeout_seconds: 6 }
    await using cutOff = await driver.start({
      ...given,
      kafka: { ...kafka, brokers: [cluster.bootstrap] },
      config: { ...one, import_url: slow.url },
    })
    await until(
      async () => (await driver.rows(table)).length > 0,
      () => cutOff.toString(),
    )
    // the next one begins soon, while the last good heartbeat still allows it
    await until(
      () => slow.oldestMs() > SLOW_MS - 400,
      () => cutOff.toString(),
    )
    cluster.way.way = 'held'
    const before = slow.requests.begun
    await driver.client.produce(topic, values(2))
    await using owner = await driver.start({ ...given, kafka, config: { import_url: driver.service.url } })
    await driver.committedAre(group, topic, [BigInt(2 * ROWS)], owner)
    await until(
      () => slow.requests.underWay.size === 0,
      () => cutOff.toString(),
    )
    expect(slow.requests.begun).toBeGreaterThan(before)
    expect(await driver.rows(table)).toEqual(rowsOf(values(2)).toSorted())
    cutOff.send('SIGKILL')
    await driver.stop(owner)
  })
})
