// What a member of `stream` says when the service or a broker stops answering, and when it answers again: in its log, and at a
// terminal.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stream } from '../../src/commands/stream/stream.ts'
import { workFolder } from '../connector.ts'
import { describeKafka, describeOwnKafka, uniqueName } from '../kafka/available.ts'
import type { Broker } from '../kafka/broker.ts'
import { KafkaClient } from '../kafka/client.ts'
import { until } from '../kafka/until.ts'
import { ioOf, NO_INPUT, Said } from '../in-process.ts'
import { rowOf, StreamDriver, tableOf } from './driver.ts'
import type { StreamProcess } from './stream-process.ts'
import { TakeableService } from '../write/takeable-service.ts'
import type { Mood } from '../write/takeable-service.ts'

const warnings = ({ lines }: Pick<StreamProcess, 'lines'>, words: RegExp): string[] =>
  lines.filter(({ level, message }) => level === 'warn' && words.test(message)).map(({ message }) => message)

describeKafka('stream', (bootstrap) => {
  it.each<[Mood, string, object]>([
    ['refused', 'connection refused (ECONNREFUSED)', {}],
    ['away', '503 Service Unavailable', {}],
    ['hanging', 'timeout', { request_timeout_seconds: 2, stall_deadline_seconds: 600 }],
  ])('names a service that is %s, once, and says when it is back', async (mood, cause, more) => {
    await using service = await TakeableService.open()
    await using driver = await StreamDriver.open(bootstrap)
    const topic = await driver.topic()
    const group = uniqueName('group')
    await using process = await driver.start({
      topics: [{ topic, keys: ['id'] }],
      group,
      config: { import_url: service.url, late_write_guard_seconds: 1, ...more },
    })
    await driver.client.produce(topic, [{ value: '{"id":1}' }])
    await driver.committedAre(group, topic, [1n], process)
    await service.turn(mood)
    await driver.client.produce(topic, [{ value: '{"id":2}' }])
    const limit = 'stall_deadline_seconds' in more ? '10 min (stall_deadline_seconds)' : '15 min (retry_for_seconds)'
    const told = await process.said(/The service at .* is unavailable/)
    expect(told.message).toContain(
      `at ${service.place} is unavailable: ${cause}. Requests are retried for up to ${limit}.`,
    )
    expect(told).toMatchObject({ level: 'warn', host: '127.0.0.1', port: service.port })
    await service.turn('up')
    const back = await process.said(/answers again/)
    expect(back).toMatchObject({ level: 'info', host: '127.0.0.1', port: service.port })
    expect(back['retries']).toBeGreaterThan(0)
    await driver.committedAre(group, topic, [2n], process)
    await driver.stop(process)
    expect(warnings(process, /is unavailable/)).toHaveLength(1)
  })

  it('tells the same at a terminal, with the cause in its table', async () => {
    await using service = await TakeableService.open()
    await using driver = await StreamDriver.open(bootstrap)
    const topic = await driver.filled([{ value: '{"id":1}' }])
    const configFile = await driver.config({ topics: [{ topic, keys: ['id'] }], config: { import_url: service.url } })
    await service.turn('refused')
    const said = new Said()
    const stop = new AbortController()
    const size = { columns: 200, rows: 40 }
    const io = {
      ...ioOf(NO_INPUT, said, said),
      env: { NO_COLOR: '1' },
      isTty: true,
      columns: 200,
      size: () => size,
      signal: stop.signal,
    }
    const running = stream({ configFile, fromDeadLetters: false, reportFiles: {} }, io)
    const has = async (words: RegExp): Promise<void> =>
      until(
        async () => words.test(await said.text()),
        () => `${words} is never seen`,
      )
    await has(/Z warn +The service at 127\.0\.0\.1:\d+ is unavailable: connection refused \(ECONNREFUSED\)\./)
    await has(/The service has been down for \d+ s \(connection refused\)/)
    await service.turn('up')
    await has(/Z info +The service at 127\.0\.0\.1:\d+ answers again, after \d+ s and \d+ retries\./)
    stop.abort()
    expect(await running).toBe('stopped')
  })
})

describeOwnKafka('stream', (startBroker) => {
  it.each<[string, string, (broker: Broker) => void | Promise<void>, (broker: Broker) => void | Promise<void>]>([
    ['killed', 'connection refused (ECONNREFUSED)', (broker) => broker.kill(), (broker) => broker.start()],
    [
      'stopped in its tracks',
      'timeout|no answer from \\S+ for 1\\d s',
      (broker) => void process.kill(broker.pid!, 'SIGSTOP'),
      (broker) => void process.kill(broker.pid!, 'SIGCONT'),
    ],
  ])('names a broker that is %s, outlasts it, and says when it is back', async (_, cause, take, give) => {
    await using folder = await workFolder()
    await using broker = await startBroker({ folder: join(folder.path, 'broker') })
    await using driver = await StreamDriver.open(broker.bootstrap)
    const topic = 'read'
    {
      await using client = await KafkaClient.connect(broker.bootstrap)
      await client.createTopic(topic)
      await client.produce(topic, [{ value: '{"id":1}' }])
    }
    await using member = await driver.start({ topics: [{ topic, keys: ['id'] }] })
    await driver.rowsAre(tableOf(topic), [rowOf('{"id":1}')], member)
    await take(broker)
    try {
      const told = await member.said(/The Kafka broker.* is unavailable/)
      expect(told.level).toBe('warn')
      expect(told.message).toMatch(new RegExp(`${broker.bootstrap.replaceAll('.', '\\.')}.*`))
      expect(told.message).toMatch(new RegExp(cause.replaceAll(/[()]/g, '\\$&')))
      expect(told.message).toContain('It is retried for up to 15 min (kafka.broker_deadline_seconds).')
      expect(told).toMatchObject({ host: '127.0.0.1', port: broker.ports['PLAINTEXT'] })
    } finally {
      await give(broker)
    }
    expect((await member.said(/The Kafka broker at .* answers again/)).level).toBe('info')
    {
      await using client = await KafkaClient.connect(broker.bootstrap)
      await client.produce(topic, [{ value: '{"id":2}' }])
    }
    await driver.rowsAre(tableOf(topic), [rowOf('{"id":1}'), rowOf('{"id":2}')], member)
    await driver.stop(member)
    expect(warnings(member, /is unavailable|Kafka client: /), member.toString()).toHaveLength(1)
  })
})
