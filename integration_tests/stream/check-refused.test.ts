// `stream --check` where brokers or groups refuse, where none can be used, and where nothing is to be asked.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import kafkajs from 'kafkajs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAIN } from '../connector.ts'
import { streamCheck } from '../../src/commands/stream/stream-check.ts'
import { NO_INPUT, Said, ioOf } from '../../src/process/testing/said.ts'
import { describeKafka, uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { freePorts } from '../kafka/free-port.ts'
import { KEY, StreamCheckDriver, mutePort } from './check-driver.ts'

let driver: StreamCheckDriver
beforeAll(async () => {
  driver = await StreamCheckDriver.start()
})
afterAll(async () => {
  await driver[Symbol.asyncDispose]()
})

it('ends the process with 1 where no broker can be used, after asking the service', async () => {
  await using mute = await mutePort()
  const [port] = await freePorts(1)
  const file = await driver.configFile({
    brokers: [`127.0.0.1:${port}`, mute.address],
    topics: [{ topic: 't', keys: ['id'] }],
  })
  const child = spawn(process.execPath, [MAIN, 'stream', '--check', '--config', file], { env: { ...process.env, KEY } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(1)
  expect(said).toMatch(/^FAIL {2}Broker 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/m)
  expect(said).toMatch(/^FAIL {2}Broker 127\.0\.0\.1:\d+ does not answer as a Kafka broker does/m)
  expect(said).toMatch(/^ {6}Topics, group, offsets and records could not be examined for that reason\.$/m)
  expect(said).toMatch(/^ok {4}http:.* is working, and accepts the key for client 7\.$/m)
  expect(said).toMatch(/\n\n2 problems to fix before stream can start\.\n$/)
})

it('says nothing more, and what ended it, when it is stopped', async () => {
  await using mute = await mutePort()
  const file = await driver.configFile({ brokers: [mute.address], topics: [{ topic: 't', keys: ['id'] }] })
  const child = spawn(process.execPath, [MAIN, 'stream', '--check', '--config', file], { env: { ...process.env, KEY } })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk)
    child.kill('SIGTERM')
  })
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(143)
  expect(said).toMatch(/^ok {4}The configuration ".*" can be used\.\n$/)
})

it('tells all problems of a configuration that cannot be used, and asks nobody', async () => {
  const { code, FAIL, ok, text } = await driver.check({
    brokers: ['here'],
    topics: [{ topic: 't' }],
    more: { client_id: 'x', topic: [] },
  })
  expect(code).toBe(1)
  expect(FAIL.length).toBeGreaterThan(2)
  for (const line of FAIL) expect(line).toMatch(/^Configuration: line \d+: /)
  expect(FAIL).toContainEqual(expect.stringMatching(/did you mean `topics`\? \[config\.option\]$/))
  expect(ok).toEqual([])
  expect(text).toContain('Nothing else was checked')
  const said = new Said()
  expect(await streamCheck('/no/such/file.yaml', ioOf(NO_INPUT, said, said))).toBe(1)
  expect(await said.text()).toMatch(/^FAIL .*--config.*no such file/)
})

describeKafka('stream --check with a group of others', (bootstrap) => {
  it('fails for a group that others use in another manner', async () => {
    await using client = await KafkaClient.connect(bootstrap)
    const topic = uniqueName('checked')
    await client.createTopic(topic)
    const group = uniqueName('g')
    const consumer = client.kafka.consumer({
      groupId: group,
      partitionAssigners: [
        ({ cluster }) => ({
          name: 'range',
          version: 1,
          assign: ({ members, topics }) =>
            Promise.resolve(
              members.map(({ memberId }) => ({
                memberId,
                memberAssignment: kafkajs.AssignerProtocol.MemberAssignment.encode({
                  version: 1,
                  assignment: Object.fromEntries(
                    topics.map((name) => [
                      name,
                      cluster.findTopicPartitionMetadata(name).map(({ partitionId }) => partitionId),
                    ]),
                  ),
                  userData: Buffer.alloc(0),
                }),
              })),
            ),
          protocol: ({ topics }) => ({
            name: 'range',
            metadata: kafkajs.AssignerProtocol.MemberMetadata.encode({ version: 1, topics, userData: Buffer.alloc(0) }),
          }),
        }),
      ],
    })
    await consumer.subscribe({ topic })
    const joined = Promise.withResolvers<void>()
    consumer.on(consumer.events.GROUP_JOIN, () => joined.resolve())
    await consumer.run({ eachMessage: () => Promise.resolve() })
    await joined.promise
    const { code, FAIL } = await driver.check({
      brokers: bootstrap.split(','),
      group,
      topics: [{ topic, keys: ['id'] }],
    })
    await consumer.disconnect()
    expect(FAIL).toEqual([expect.stringMatching(/is in use by 1 member \(test-client at .*\) .*"range"/)])
    expect(code).toBe(1)
  })
})
