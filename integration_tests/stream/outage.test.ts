// `stream` while others are away: its place in the group outlasts the service's absence, and brokers may come after it.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { workFolder } from '../connector.ts'
import { describeKafka, describeOwnKafka, uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { rowOf, StreamDriver, tableOf } from './driver.ts'
import { GroupRun } from './group-run.ts'
import { healthOf } from './health-of.ts'
import { until } from '../kafka/until.ts'

const SESSION_SECONDS = 6

describeKafka('a group of stream processes', (bootstrap) => {
  it('is of the same generation when the service was away for three session timeouts', async ({ signal }) => {
    await using run = await GroupRun.open({
      bootstrap,
      name: uniqueName('outage'),
      records: 20_000,
      recordsPerSecond: 500,
      kafka: { session_timeout_seconds: SESSION_SECONDS, rebalance_timeout_seconds: 12, heartbeat_seconds: 1 },
      // less than what comes meanwhile: partitions are held
      config: {
        buffer_bytes: 2 ** 20,
        max_request_bytes: 2 ** 16,
        commit_every_seconds: 1,
        late_write_guard_seconds: 2,
        request_timeout_seconds: 30,
      },
      seed: 18,
      signal,
    })
    await run.start(1, 2)
    await run.settled()
    const generation = await run.generation()
    expect(generation).toBeGreaterThan(0)
    await run.cut(3 * SESSION_SECONDS * 1000)
    await run.settled()
    expect(await run.generation()).toBe(generation)
    const { faults, ...figures } = await run.finish()
    expect(faults).toEqual([])
    expect(figures.acknowledged).toBeGreaterThan(figures.rows)
  }, 300_000)
})

describeOwnKafka('stream', (startBroker) => {
  it('ends in time while the broker does not answer, at its start and as a member', async () => {
    await using broker = await startBroker()
    await using driver = await StreamDriver.open(broker.bootstrap)
    const topic = await driver.topic()
    const config = { health: { port: 0, host: '127.0.0.1' }, commit_every_seconds: 300 }
    const given = { topics: [{ topic, keys: ['id'] }], config }
    await using member = await driver.start(given)
    // something to commit, and something that is not answered, either
    await driver.client.produce(topic, ['{"id":1}'])
    await driver.rowsAre(tableOf(topic), [rowOf('{"id":1}')], member)
    driver.proxy.way = 'held'
    await driver.client.produce(topic, ['{"id":2}'])
    const health = await healthOf(member)
    await until(
      async () => ((await health('/readyz')).body['requests_in_flight'] as number) > 0,
      () => `nothing is sent:\n${member.toString()}`,
    )
    const told = performance.now()
    member.send('SIGTERM')
    // so late that it notices only when it commits
    await sleep(19_000)
    process.kill(broker.pid!, 'SIGSTOP')
    const ended = driver.endOf(member).then(({ code }) => [code, performance.now() - told] as const)
    await using starting = await driver.start(given)
    await starting.said(/^Health is served/)
    const startingTold = performance.now()
    await driver.stop(starting)
    expect(performance.now() - startingTold).toBeLessThan(30_000)
    expect(await ended, member.toString()).toEqual([143, expect.any(Number)])
    expect((await ended)[1]).toBeLessThan(30_000)
    process.kill(broker.pid!, 'SIGCONT')
  })

  it('waits for a broker, not ready and alive, and begins when it comes', async () => {
    await using folder = await workFolder()
    await using broker = await startBroker({ folder: join(folder.path, 'broker') })
    const topic = 'waited-for'
    const value = '{"id":1,"item":"lamp"}'
    await using driver = await StreamDriver.open(broker.bootstrap)
    {
      await using client = await KafkaClient.connect(broker.bootstrap)
      await client.createTopic(topic)
      await client.produce(topic, [{ value }])
    }
    await broker.stop()
    await using process = await driver.start({
      topics: [{ topic, keys: ['id'] }],
      config: { health: { port: 0, host: '127.0.0.1' } },
    })
    const health = await healthOf(process)
    const { status, body } = await health('/readyz')
    expect([status, body['ready']]).toEqual([503, false])
    expect((await health('/healthz')).status).toBe(200)
    await process.said(/brokers cannot be asked for topics yet/)
    expect((await health('/readyz')).status).toBe(503)
    await broker.start()
    await driver.rowsAre(tableOf(topic), [rowOf(value)], process)
    await until(
      async () => (await health('/readyz')).status === 200,
      () => `it is never ready:\n${process.toString()}`,
    )
    await driver.stop(process)
  })
})
