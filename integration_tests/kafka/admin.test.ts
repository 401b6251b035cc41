// Questions about a real cluster.

import { expect, it } from 'vitest'
import { at, ConsumerCases, groupOf, letters } from './consumer-cases.ts'
import { describeGroup, KafkaAdmin } from '../../src/kafka/client/admin.ts'

const cases = new ConsumerCases()

const connection = () => ({
  brokers: [cases.broker.bootstrap],
  clientId: 'test',
  tls: undefined,
  sasl: undefined,
  allowInsecureLogin: false,
})

const admin = (): KafkaAdmin => new KafkaAdmin({ connection: connection() })
const group = (topic: string) => describeGroup(connection(), groupOf(topic), AbortSignal.timeout(20_000))

cases.describe('KafkaAdmin', () => {
  it('knows topics, their partitions and offsets', async () => {
    const topic = await cases.topicOf(2)
    await cases.client.produce(
      topic,
      letters.map((value, index) => ({ value, timestamp: BigInt(1000 + index) })),
    )
    await cases.deleteBefore(topic, 1)
    await using asked = admin()
    expect(await asked.topics()).toContain(topic)
    expect(await asked.ranges(topic)).toEqual(
      new Map([
        [0, { low: 1n, high: 6n }],
        [1, { low: 0n, high: 0n }],
      ]),
    )
    expect(await asked.offsetsAt(topic, 1003n)).toEqual(
      new Map([
        [0, 3n],
        [1, 0n],
      ]),
    )
  })

  it('knows groups and what they committed', async () => {
    const topic = await cases.topicOf(2)
    await cases.fill(topic, letters)
    await using asked = admin()
    expect(await group(topic)).toMatchObject({ state: 'Dead', members: [] })
    expect(await asked.committed(groupOf(topic), [topic])).toEqual([])
    await using member = cases.joiner(topic)()
    await member.until(({ values }) => values.length === 6)
    await member.consumer.commit([at(topic, 4n)])
    expect(await asked.committed(groupOf(topic), [topic])).toEqual(
      expect.arrayContaining([expect.objectContaining(at(topic, 4n))]),
    )
    expect(await group(topic)).toMatchObject({ state: 'Stable', members: [{ clientId: 'test' }] })
  })

  it('fails on a topic that is not there, and makes none', async () => {
    await using asked = admin()
    await expect(asked.ranges('never-made')).rejects.toMatchObject({
      cause: expect.objectContaining({ type: 'UNKNOWN_TOPIC_OR_PARTITION' }),
    })
    expect(await asked.topics()).not.toContain('never-made')
  })

  it('ends soon while its broker is dead', async () => {
    await using asked = admin()
    await asked.topics()
    await cases.broker.kill()
    await expect(asked.topics()).rejects.toThrow()
  })
})
