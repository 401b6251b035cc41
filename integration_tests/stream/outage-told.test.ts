// What a member of `stream` says when the service or a broker stops answering, and when it answers again: in its log, and at a
// terminal.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workFolder } from '../connector.ts'
import { describeOwnKafka } from '../kafka/available.ts'
import type { Broker } from '../kafka/broker.ts'
import { KafkaClient } from '../kafka/client.ts'
import { rowOf, StreamDriver, tableOf } from './driver.ts'
import type { StreamProcess } from './stream-process.ts'

const warnings = ({ lines }: Pick<StreamProcess, 'lines'>, words: RegExp): string[] =>
  lines.filter(({ level, message }) => level === 'warn' && words.test(message)).map(({ message }) => message)

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
      await client.produce(topic, ['{"id":1}'])
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
      await client.produce(topic, ['{"id":2}'])
    }
    await driver.rowsAre(tableOf(topic), [rowOf('{"id":1}'), rowOf('{"id":2}')], member)
    await driver.stop(member)
    expect(warnings(member, /is unavailable|Kafka client: /), member.toString()).toHaveLength(1)
  })
})
