// `stream --check` on a real broker and the local service: all well, everything wrong at once, and what a sample tells.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeKafka, uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { freePorts } from '../kafka/free-port.ts'
import { dryStream } from '../../src/commands/stream/stream.ts'
import { NO_INPUT, Said, ioOf } from '../../src/process/testing/said.ts'
import { KEY, StreamCheckDriver } from './check-driver.ts'

let driver: StreamCheckDriver
beforeAll(async () => {
  driver = await StreamCheckDriver.start()
})
afterAll(async () => {
  await driver[Symbol.asyncDispose]()
})

const row = (id: number | string, more: object = {}): string => JSON.stringify({ id, ...more })

describeKafka('stream --check', (bootstrap) => {
  let client: KafkaClient
  beforeAll(async () => {
    client = await KafkaClient.connect(bootstrap)
  })
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
  })
  const topicOf = async (partitions = 1, config: Readonly<Record<string, string>> = {}): Promise<string> => {
    const topic = uniqueName('checked')
    await client.createTopic(topic, partitions, config)
    return topic
  }
  const brokers = bootstrap.split(',')

  it('finds all well, says what would be read into which table, and leaves nothing behind', async () => {
    const [orders, customers, letters] = [await topicOf(3), await topicOf(2), await topicOf()]
    const records = Array.from({ length: 900 }, (_, at) => ({ partition: at % 3, key: `${at}`, value: row(at) }))
    await client.produce(orders, records)
    const group = uniqueName('g')
    await client.admin.setOffsets({ groupId: group, topic: orders, partitions: [{ partition: 0, offset: '100' }] })
    const topics = [
      { topic: orders, keys: ['id'], table: 'orders' },
      { pattern: customers.replaceAll('-', '.'), keys: { key: 'id' } },
    ]
    const told = await driver.check({ brokers, group, topics, more: { dead_letters: { topic: letters } } })
    expect(told).toMatchObject({ code: 0, FAIL: [], warn: [] })
    expect(told.text).toMatch(
      new RegExp(`^${orders} +3 +orders +one row per id, newest arrival +committed, 2 earliest +800$`, 'm'),
    )
    expect(told.text).toMatch(
      new RegExp(`^${customers} +2 +checked_\\w+ +one row per id, newest arrival +earliest +0$`, 'm'),
    )
    expect(told.ok).toEqual([
      expect.stringMatching(/^The configuration ".*" can be used\.$/),
      `Broker ${brokers.join(', ')} can be used.`,
      expect.stringMatching(/^Pattern ".*" matches 1 topic now\.$/),
      `Group ${group} has no members now, and has committed offsets of these topics.`,
      `Dead letters can be kept in the topic "${letters}" (1 partition, not compacted).`,
      `600 recent records of topic "${orders}" were examined.`,
      `${driver.origin} is working, and accepts the key for client 7.`,
    ])
    expect(told.text).toMatch(/\n\nstream can start\.\n$/)
    const { groups } = await client.admin.listGroups()
    expect(groups.filter(({ groupId }) => groupId.startsWith(`${group}-check-`))).toEqual([])
    expect(await client.committed(group, orders)).toEqual([100n, undefined, undefined])
  })

  it('says where a record may be too large to become a dead letter', async () => {
    const [large, usual, letters] = [
      await topicOf(1, { 'max.message.bytes': '5000000' }),
      await topicOf(),
      await topicOf(),
    ]
    const topics = [large, usual].map((topic) => ({ topic, keys: ['id'] }))
    const more = { dead_letters: { topic: letters } }
    const told = await driver.check({ brokers, group: uniqueName('g'), topics, more })
    expect(told).toMatchObject({ code: 0, FAIL: [] })
    expect(told.warn).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Dead letters: their topic "${letters}" takes .* 1,048,588 bytes, and topic "${large}" takes 5,000,000 bytes\\. `,
        ),
      ),
    ])
    const same = await driver.check({ brokers, group: uniqueName('g'), topics: topics.slice(1), more })
    expect(same).toMatchObject({ code: 0, warn: [] })
  })

  it('names everything that is wrong at once, and goes on with what can be asked', async () => {
    const [orders, other, letters] = [
      await topicOf(2),
      await topicOf(),
      await topicOf(1, { 'cleanup.policy': 'compact' }),
    ]
    await client.produce(
      orders,
      Array.from({ length: 50 }, (_, at) => ({ key: `${at}`, value: row(at) })),
    )
    const group = uniqueName('g')
    const partitions = [
      { partition: 0, offset: '3' },
      { partition: 1, offset: '77' },
    ]
    await client.admin.setOffsets({ groupId: group, topic: orders, partitions })
    await client.admin.deleteTopicRecords({ topic: orders, partitions: [{ partition: 0, offset: '20' }] })
    const [port] = await freePorts(1)
    const topics = [
      { topic: orders, keys: ['id'] },
      { topic: `${orders}x`, keys: ['id'] },
      { pattern: other, keys: ['id'], table: orders.replaceAll('-', '_'), shared_table: true },
    ]
    const dead = `127.0.0.1:${port}`
    const told = await driver.check(
      { brokers: [...brokers, dead], group, topics, more: { dead_letters: { topic: letters } } },
      { KEY: 'canary-wrong-key' },
    )
    expect(told.code).toBe(1)
    expect(told.warn).toEqual([expect.stringMatching(new RegExp(`^Broker ${dead} cannot be reached: .*ECONNREFUSED`))])
    expect(told.FAIL).toEqual([
      expect.stringContaining(`There is no topic "${orders}x", or this user may not see it. Did you mean "${orders}"?`),
      expect.stringMatching(/^The topics ".*" and ".*" have the same table/),
      expect.stringMatching(/partition 0: reading was to continue at offset 3, but its first record now has offset 20/),
      expect.stringMatching(/partition 1: reading was to continue at offset 77, but the partition ends at offset 0/),
      expect.stringMatching(/^Dead letters cannot be kept in the topic ".*": it is compacted/),
      expect.stringMatching(/answered 401 for client 7/),
    ])
    expect(told.ok).toContainEqual(`30 recent records of topic "${orders}" were examined.`)
    expect(told.text).toMatch(/\n\n6 problems to fix before stream can start, with 1 warning\.\n$/)
  })

  it('proposes for dead letters no topic that is read', async () => {
    const [orders, letters] = [await topicOf(), await topicOf()]
    const topics = [{ topic: orders, keys: ['id'] }]
    const missing = async (topic: string): Promise<string> => {
      const told = await driver.check({ brokers, topics, more: { dead_letters: { topic } } })
      return told.FAIL.find((text) => text.startsWith('Dead letters'))!
    }
    expect(await missing(`${letters}x`)).toContain(` Did you mean "${letters}"?`)
    expect(await missing(`${orders}x`)).not.toContain(`"${orders}"`)
  })

  it('tells what a sample of the records says about a run', async () => {
    const [torn, changes, letters] = [await topicOf(2), await topicOf(), await topicOf()]
    await client.produce(torn, [
      { partition: 0, key: '1', value: row(1, { text: 'canary' }) },
      { partition: 1, key: '1', value: row(1) },
      { partition: 1, key: '1', value: 'canary' },
    ])
    const change = { before: null, after: { id: 1, price: 'AfQ=' }, source: {}, op: 'c' }
    await client.produce(changes, [
      { key: '{"id":1}', value: JSON.stringify(change) },
      { key: null, value: JSON.stringify(change) },
      { key: null, value: JSON.stringify({ before: null, after: null, source: {}, op: 't' }) },
    ])
    const topics = [
      { topic: torn, keys: ['id'] },
      { topic: changes, format: 'debezium' },
    ]
    const { code, warn, text } = await driver.check({ brokers, topics, more: { dead_letters: { topic: letters } } })
    expect(code).toBe(0)
    expect(text).not.toContain('canary')
    const about = (topic: string): string[] => warn.filter((line) => line.startsWith(`Topic "${topic}": `))
    expect(about(torn)).toEqual([
      expect.stringMatching(
        /1 of 3 sampled records cannot be stored; the first is in partition 1, offset 1: .*dead letters/,
      ),
      expect.stringMatching(/1 of 1 sampled keys have records in more than one partition/),
    ])
    expect(about(changes)).toEqual([
      expect.stringMatching(/stream would stop at 2 of 3 sampled records, by its policies; the first: .*null_keys/),
      expect.stringMatching(/column "price" looks like decimals in base64/),
    ])
    expect(warn).toHaveLength(4)
  })

  it('fails where each record would end the run, as the dry run does, and says where it would stop at some', async () => {
    const topic = await topicOf()
    const values = ['{"type":"a","id":1}', '{"type":"a","id":2}', '{"type":"b","id":3}', '{"type":"a","id":null}']
    await client.produce(
      topic,
      values.map((value) => ({ key: '1', value })),
    )
    const route = { by: { field: 'type' }, tables: { a: {}, b: {} } }
    const found = (level: 'FAIL' | 'warn', words: string): object => ({
      code: level === 'FAIL' ? 1 : 0,
      [level]: [expect.stringMatching(`^Topic "${topic}": stream would stop at ${words}`)],
    })
    const cases: readonly [object, object][] = [
      [
        { keys: ['ID'] },
        found('FAIL', '4 of 4 sampled records, which cannot be stored; the first is in partition 0, offset 0'),
      ],
      [
        { keys: ['id'], route: { ...route, by: { field: 'typ' } } },
        found('FAIL', '4 of 4 sampled records, by its policies'),
      ],
      [
        { keys: ['id'], route },
        found('warn', '1 of 4 sampled records, which cannot be stored; the first is in partition 0, offset 3'),
      ],
      [
        { keys: { offset: true }, route },
        { code: 0, FAIL: [], warn: [] },
      ],
    ]
    for (const [entry, expected] of cases) {
      const given = { brokers, topics: [{ topic, ...entry }] }
      expect(await driver.check(given)).toMatchObject(expected)
      const said = new Said()
      const options = { configFile: await driver.configFile(given), json: true, mostRecords: undefined }
      const dry = await dryStream(options, { ...ioOf(NO_INPUT, said, said), env: { KEY } })
      expect(dry).toBe(entry === cases[3]![0] ? 0 : 1)
    }
  }, 60_000)
})
