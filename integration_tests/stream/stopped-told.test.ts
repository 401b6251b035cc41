// What `stream` says when it was told to stop: at a terminal and in its log, and whether it is true.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { stream } from '../../src/commands/stream/stream.ts'
import { workFolder } from '../connector.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'
import { describeOwnKafka, uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { until } from '../kafka/until.ts'
import { rowsOf, describeStream, StreamDriver, tableOf } from './driver.ts'

const VALUES = [1, 2, 3].map((id) => `{"id":${id}}`)

describeStream('stream that is stopped', (driver) => {
  beforeEach(() => {
    driver.proxy.way = 'open'
  })

  const stateOf = async (group: string): Promise<string> => (await driver.client.describeGroup(group)).state

  it('leaves what it did as the last line of a terminal', async () => {
    const topic = await driver.filled(VALUES)
    const group = uniqueName('group')
    const configFile = await driver.config({ group, topics: [{ topic, keys: ['id'] }] })
    const said = new Said()
    const stop = new AbortController()
    const size = { columns: 100, rows: 40 }
    const io = { ...ioOf(NO_INPUT, said, said), isTty: true, columns: 100, size: () => size, signal: stop.signal }
    const running = stream({ configFile, fromDeadLetters: false, reportFiles: {} }, io)
    await driver.rowsAre(tableOf(topic), rowsOf(VALUES))
    stop.abort()
    expect(await running).toBe('stopped')
    expect(await driver.client.committed(group, topic)).toEqual([3n])
    expect(await stateOf(group)).toBe('Empty')
    // oxlint-disable-next-line no-control-regex
    const lines = (await said.text()).replaceAll(/\u001b\[\d*[A-Z]|\r/g, '').split('\n')
    expect(lines.findLast((line) => line !== '')).toBe('Stopped: 3 records settled, offsets committed, group left.')
  })

  it('says the same in its log, behind the last figures', async () => {
    const topic = await driver.filled(VALUES)
    const group = uniqueName('group')
    await using process = await driver.start({ group, topics: [{ topic, keys: ['id'] }] })
    await driver.rowsAre(tableOf(topic), rowsOf(VALUES), process)
    process.send('SIGINT')
    const { code, lines } = await driver.endOf(process)
    expect(code).toBe(130)
    expect(lines.slice(-2)).toMatchObject([
      { message: expect.stringMatching(/^stream: 3 records/) },
      { level: 'info', message: 'Stopped: 3 records settled, offsets committed, group left.', settled_records: 3 },
    ])
    expect(await stateOf(group)).toBe('Empty')
  })

  it('names what it has read and not settled, also where the service has been down for so long that it is given up', async () => {
    driver.proxy.way = 'cut'
    const topic = await driver.filled([...VALUES, { key: '{"id":1}', value: null }])
    const group = uniqueName('group')
    await using process = await driver.start({ group, topics: [{ topic, keys: ['id'] }] })
    await process.said(/is unavailable/)
    await pause(9000)
    const { lines } = await driver.stop(process)
    expect(lines.at(-1)).toMatchObject({
      message:
        'Stopped: 0 records settled, nothing to commit, group left; 4 records read and not settled are read again.',
      settled_records: 0,
      unsettled_records: 4,
      left: true,
    })
    expect(await stateOf(group)).toBe('Empty')
  })
})

describeOwnKafka('stream that is stopped', (startBroker) => {
  it('says no word of a group that it could not leave, nor of one that it never joined', async () => {
    await using folder = await workFolder()
    await using broker = await startBroker({ folder: join(folder.path, 'broker') })
    await using driver = await StreamDriver.open(broker.bootstrap)
    const topic = 'read'
    {
      await using client = await KafkaClient.connect(broker.bootstrap)
      await client.createTopic(topic)
      await client.produce(topic, VALUES)
    }
    const given = {
      topics: [{ topic, keys: ['id'] }],
      kafka: { session_timeout_seconds: 30, rebalance_timeout_seconds: 60 },
    }
    await using process = await driver.start(given)
    await until(
      async () => (await driver.rows(tableOf(topic))).length === 3,
      () => `no rows:\n${process.toString()}`,
    )
    await broker.kill()
    const { lines } = await driver.stop(process)
    expect(lines.at(-1)!.message).toMatch(/^Stopped: 3 records settled, .*group not left: /)
    await using another = await driver.start(given)
    await another.said(/brokers cannot be asked for topics/)
    const { lines: others } = await driver.stop(another)
    expect(others.at(-1)!.message).toBe('Stopped: 0 records settled, nothing to commit, no group joined.')
  })
})
