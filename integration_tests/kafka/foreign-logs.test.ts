// What lies in logs of every kind, read by our consumer and by Kafka's own for Java: it is the same.

import { randomInt } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import type { FetchOptions } from '../../src/kafka/client/group-member.ts'
import { ConsumerCases } from './consumer-cases.ts'
import { lineOf, offsetOf, readForeignLogs, writeForeignLogs, type ForeignLog } from './foreign-log.ts'
import { Member } from './member.ts'
import { until } from './until.ts'

const STEPS = 50
const ANY_TIME = '9223372036854775807'
const LARGE = {
  'max.message.bytes': '20000000',
  'message.timestamp.after.max.ms': ANY_TIME,
  'message.timestamp.before.max.ms': ANY_TIME,
  'retention.ms': '-1',
}
const COMPACT = {
  ...LARGE,
  'cleanup.policy': 'compact',
  // by the records' own times a segment would hardly ever end
  'message.timestamp.type': 'LogAppendTime',
  'segment.ms': '200',
  'min.cleanable.dirty.ratio': '0.01',
  'delete.retention.ms': '100',
}
/** Some are less than a batch. */
const FETCHES: readonly Partial<FetchOptions>[] = [
  {},
  { maxBytesPerPartition: 300 },
  { maxBytesPerPartition: 5000, maxBytes: 20_000 },
]
/** Producers that each leave an empty batch behind: more than a fetch of 300 bytes holds. */
const GONE_PRODUCERS = 30

const cases = new ConsumerCases({ heap: '512m', properties: { 'log.cleaner.backoff.ms': '300' } })

cases.describe('logs of every kind', () => {
  const seed = randomInt(2 ** 31)
  let logs: ForeignLog[] = []

  /** What a member reads from there on, until it stands where Java's does. */
  const read = async (
    topic: string,
    fetch: Partial<FetchOptions>,
    starts = new Map<number, bigint>(),
  ): Promise<void> => {
    const some = logs.filter((log) => log.topic === topic)
    const common = { brokers: [cases.broker.bootstrap], group: `${topic}-${randomInt(2 ** 40)}`, topics: [topic] }
    if (starts.size > 0) {
      await using first = new Member({ ...common, outOfRangeOf: () => 'earliest' })
      await first.until(({ partitions }) => partitions.length > 0)
      await first.consumer.commit([...starts].map(([partition, offset]) => ({ topic, partition, offset })))
    }
    await using member = new Member({
      ...common,
      outOfRangeOf: () => 'earliest',
      fetch: { metadataMaxAgeMs: 1000, ...fetch },
    })
    for (const { partition, lines, end } of some) {
      const from = starts.get(partition) ?? 0n
      const mine = (): Member['batches'] => member.batches.filter((batch) => batch.partition === partition)
      if (from < end) await member.until(() => (mine().at(-1)?.next ?? 0n) >= end)
      const found = mine().flatMap(({ records }) => records.map((record) => lineOf({ topic, partition }, record)))
      expect(found, `seed ${seed}`).toEqual(lines.filter((line) => offsetOf(line) >= from))
      if (from < end) expect(mine().at(-1)!.next, `seed ${seed}`).toBe(end)
    }
  }

  const readEveryWay = async (topic: string): Promise<void> => {
    for (const fetch of FETCHES) {
      await read(topic, fetch)
      const some = logs.filter((log) => log.topic === topic && log.lines.length > 0)
      const starts = some.map(({ partition, lines, end }) => {
        const least = offsetOf(lines[0]!)
        return [partition, least + BigInt(randomInt(Number(end - least) + 1))] as const
      })
      await read(topic, fetch, new Map(starts))
    }
  }

  /** One record in the end, by idempotent producers that all wrote it. */
  const emptied = async (): Promise<string> => {
    const topic = await cases.topicOf(1, COMPACT)
    for (let left = GONE_PRODUCERS; left > 0; left--) {
      const producer = cases.client.kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
      await producer.connect()
      await producer.send({ topic, messages: [{ key: 'key', value: `${left}` }] })
      await producer.disconnect()
    }
    return topic
  }

  const topics: Record<string, string> = {}

  beforeAll(async () => {
    const plain = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
    for (const codec of plain) topics[codec] = await cases.topicOf(3, LARGE)
    topics['stamped'] = await cases.topicOf(2, { ...LARGE, 'message.timestamp.type': 'LogAppendTime' })
    topics['many'] = await cases.topicOf(50, LARGE)
    topics['compacted'] = await cases.topicOf(2, COMPACT)
    topics['deleted'] = await cases.topicOf(1, LARGE)
    topics['emptied'] = await emptied()
    const { bootstrap } = cases.broker
    const codecs = [...plain, 'lz4', 'none', 'none', 'zstd']
    const names = Object.values(topics).slice(0, codecs.length)
    await writeForeignLogs(
      bootstrap,
      seed,
      STEPS,
      names.map((topic, index) => [topic, codecs[index]!]),
    )
    const [end] = await cases.client.highWatermarks(topics['deleted'])
    await cases.deleteBefore(topics['deleted'], Math.floor(Number(end) / 2))
    // the next segment, in which nothing is compacted; what was left open ends: behind it nothing is either
    await writeForeignLogs(bootstrap, seed + 100, STEPS / 5, [[topics['compacted'], 'none']])
    await cases.client.produce(topics['emptied'], [{ key: 'key', value: 'last' }])
    for (const topic of [topics['compacted'], topics['emptied']]) await compacted(topic)
    logs = await readForeignLogs(bootstrap, Object.values(topics))
  }, 300_000)

  /** And never again, so that two can read the same. */
  const compacted = async (topic: string): Promise<void> => {
    const [end] = await cases.client.highWatermarks(topic)
    await until(
      async () => (await cases.client.read(topic)).filter(({ partition }) => partition === 0).length < Number(end) / 2,
      () => `${topic} was never compacted`,
      240_000,
    )
    const configEntries = Object.entries({ ...COMPACT, 'cleanup.policy': 'delete' }).map(([name, value]) => ({
      name,
      value,
    }))
    const resources = [{ type: 2, name: topic, configEntries }]
    await cases.client.admin.alterConfigs({ resources, validateOnly: false })
  }

  it.each(['none', 'gzip', 'snappy', 'lz4', 'zstd', 'stamped', 'many', 'compacted', 'deleted', 'emptied'])(
    '%s',
    (kind) => readEveryWay(topics[kind]!),
  )

  it('with empty batches has fetches that bring nothing else', async () => {
    await using member = cases.joiner(topics['emptied']!, { fetch: { maxBytesPerPartition: 300 } })()
    await member.until(({ values }) => values.includes('last'))
    expect(member.batches.filter(({ records }) => records.length === 0).length).toBeGreaterThan(1)
  })
})
