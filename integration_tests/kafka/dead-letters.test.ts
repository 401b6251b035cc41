// Dead letters on a real broker: kept byte for byte, none lost while brokers come and go, and told when the topic will not do.

import { readFile } from 'node:fs/promises'
import { sample } from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOwnKafka } from './available.ts'
import type { Broker } from './broker.ts'
import { KafkaClient } from './client.ts'
import { Member } from './member.ts'
import { readLog } from './read-log.ts'
import { until } from './until.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import { failureOf } from '../../src/core/testing/failure.ts'
import type { Clock } from '../../src/core/types.ts'
import { replayTopic } from '../../src/kafka/dead-letters/dead-letter-replay.ts'
import { openDeadLetterTopic, partitionFor } from '../../src/kafka/dead-letters/dead-letter-topic.ts'
import type { DeadLetterTopic, DeadLetterTopicOptions } from '../../src/kafka/dead-letters/dead-letter-topic.ts'
import { fromMessage, type DeadLetter } from '../../src/kafka/dead-letters/dead-letter.ts'
import { anyLetter, letterOf } from '../../src/kafka/dead-letters/testing/letters.ts'
import type { FetchedBatch, KafkaHeader } from '../../src/kafka/types.ts'
import { systemClock } from '../../src/process/system-clock.ts'

const never = new AbortController().signal
const PARTITIONS = 3
let broker: Broker
let client: KafkaClient
let topics = 0

async function topicWith(config: Readonly<Record<string, string>> = {}): Promise<string> {
  const topic = `letters-${topics++}`
  // a broker that has just started may not know it yet
  await client.createTopic(topic, PARTITIONS, config).catch(() => {})
  const partitions = (): Promise<number> =>
    client.highWatermarks(topic).then(
      ({ length }) => length,
      () => 0,
    )
  await expect.poll(partitions, { timeout: 30_000 }).toBe(PARTITIONS)
  return topic
}

const optionsOf = (topic: string, clock: Clock = systemClock): DeadLetterTopicOptions => {
  const connection = {
    brokers: [broker.bootstrap],
    clientId: 'dead-letters',
    tls: undefined,
    sasl: undefined,
    allowInsecureLogin: false,
  }
  return { connection, topic, clock, brokerDeadlineMs: 60_000 }
}
const open = (topic: string, clock?: Clock): Promise<DeadLetterTopic> =>
  openDeadLetterTopic(optionsOf(topic, clock), never)

/** As long as it takes until so many records were fetched. */
async function fetched(topic: string, count: number): Promise<FetchedBatch[]> {
  await using member = new Member({ brokers: [broker.bootstrap], group: `of-${topic}`, topics: [topic] })
  await member.until(({ values }) => values.length >= count)
  return member.batches.filter(({ records }) => records.length > 0)
}

/** A record without key and value may show them so. */
function grouped(headers: readonly KafkaHeader[]): Record<string, (Buffer | null)[]> {
  const values: Record<string, (Buffer | null)[]> = Object.create(null) as Record<string, (Buffer | null)[]>
  for (const [name, value] of headers) values[name] = [...(values[name] ?? []), value]
  return values
}

async function kept(topic: string): Promise<DeadLetter[][]> {
  const logs = await Promise.all(Array.from({ length: PARTITIONS }, (_, index) => readLog(broker.folder, topic, index)))
  return logs.map((records) => records.map((record) => fromMessage(record) as DeadLetter))
}

/** A signal takes its time on a busy machine. Where no system tells, it is believed to have been quick. */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T')
  return stat.slice(stat.lastIndexOf(')')).startsWith(') T')
}

describeOwnKafka('dead letters in a topic', (startBroker) => {
  beforeAll(async () => {
    broker = await startBroker({ properties: { 'log.cleaner.enable': 'false' } })
    client = await KafkaClient.connect(broker.bootstrap)
  })
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await broker?.[Symbol.asyncDispose]()
  })

  it('hold any record byte for byte, with headers in their order, repeated, binary and without value', async () => {
    const topic = await topicWith()
    const letters = sample(anyLetter, { numRuns: 500, seed: 8 })
    await using letterTopic = await open(topic)
    await Promise.all(letters.map((letter) => letterTopic.send(letter, never)))
    const expected = Array.from({ length: PARTITIONS }, (_, index) =>
      letters.filter((letter) => partitionFor(letter, PARTITIONS) === index),
    )
    expect(await kept(topic)).toEqual(expected)
  })

  it('wait for a topic that is gone, however long after it was gone before', async () => {
    const topic = await topicWith()
    const time = { aheadMs: 0, waits: 0 }
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + time.aheadMs,
      wait: (ms, signal) => {
        time.waits++
        return systemClock.wait(ms, signal)
      },
    }
    await using letterTopic = await open(topic, clock)
    // one that has asked about a topic fails with everything while that is gone
    await using own = await KafkaClient.connect(broker.bootstrap)
    for (const offset of [1n, 2n]) {
      await own.deleteTopic(topic)
      time.waits = 0
      const sent = letterTopic.send(letterOf({ offset }), never)
      sent.catch(() => {})
      await until(
        async () => time.waits > 0,
        () => 'it was not tried again',
      )
      await own.createTopic(topic, PARTITIONS)
      await sent
      // longer than brokers may not know it
      time.aheadMs += 30_000
    }
    const letters = await fetched(topic, 1)
    expect(letters.flatMap(({ records }) => records)).toHaveLength(1)
  })

  it('keep headers that an object could not tell apart', async () => {
    const topic = await topicWith()
    const [a, b] = [Buffer.of(0xff, 0), Buffer.alloc(0)]
    const headers = [
      ['z', a],
      ['1', b],
      ['z', null],
      ['0', a],
      ['__proto__', b],
      ['1', null],
      ['', a],
    ] as const
    const letter = letterOf({ headers, key: null, value: null })
    await using letterTopic = await open(topic)
    await letterTopic.send(letter, never)
    expect((await kept(topic)).flat()).toEqual([letter])
    const log = await readLog(broker.folder, topic, partitionFor(letter, PARTITIONS))
    expect(log[0]!.headers.slice(0, headers.length)).toEqual(headers)
    // its own time, not the record's: else what is old would be deleted at once
    expect(Math.abs(Number(log[0]!.timestamp) - Date.now())).toBeLessThan(600_000)
  })

  it('are read back as the records they were', async () => {
    const topic = await topicWith()
    const letters = sample(anyLetter, { numRuns: 300, seed: 21 })
    await using letterTopic = await open(topic)
    await Promise.all(letters.map((letter) => letterTopic.send(letter, never)))
    const read: Pick<DeadLetter, 'topic' | 'partition' | 'record'>[][] = Array.from({ length: PARTITIONS }, () => [])
    for (const batch of await fetched(topic, letters.length)) {
      const { records, error } = replayTopic(new Map([[batch.partition, { low: 0n, high: batch.highWatermark }]])).read(
        batch,
      )
      expect(error).toBeUndefined()
      for (const record of records) read[batch.partition]!.push({ ...record.from!, record })
    }
    const told = ({ topic, partition, record }: Pick<DeadLetter, 'topic' | 'partition' | 'record'>) => {
      const { offset, timestamp, key, value, headers } = record
      const shown = key === null && value === null ? grouped(headers) : headers
      return { topic, partition, offset, timestamp, key, value, headers: shown }
    }
    for (let index = 0; index < PARTITIONS; index++) {
      const sent = letters.filter((letter) => partitionFor(letter, PARTITIONS) === index)
      expect(read[index]!.map(told)).toEqual(sent.map(told))
    }
  })

  it('are all there, in order, after the broker was killed and started while they were sent', async () => {
    const topic = await topicWith()
    const letters: DeadLetter[] = []
    const confirmed: Promise<void>[] = []
    await using letterTopic = await open(topic)
    const restarted = (async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await broker.kill()
      await broker.start()
    })()
    const back = new AbortController()
    void restarted.finally(() => back.abort())
    for (let offset = 0n; !back.signal.aborted; offset++) {
      const letter = letterOf({ offset, value: Buffer.alloc(500, `${offset} `) }, { partition: Number(offset % 7n) })
      letters.push(letter)
      confirmed.push(letterTopic.send(letter, never))
      if (offset % 10n === 0n) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await restarted
    await Promise.all(confirmed)
    const places = (await kept(topic)).map(
      (letters) => new Map(letters.map((letter, at) => [letter.record.offset, at])),
    )
    for (let partition = 0; partition < 7; partition++) {
      const of = { topic: 'orders', partition }
      const sent = letters.filter((letter) => letter.partition === partition).map(({ record }) => record.offset)
      // the last place of each: what was sent again stands in order again
      const found = sent.map((offset) => places[partitionFor(of, PARTITIONS)]!.get(offset))
      expect(found).not.toContain(undefined)
      expect(found).toEqual(found.toSorted((a, b) => a! - b!))
    }
  })

  it('go in smaller portions to a topic that takes less at once, and one too large alone is told', async () => {
    const topic = await topicWith({ 'max.message.bytes': '20000' })
    await using letterTopic = await open(topic)
    const sizes = [9000, 9000, 9000, 9000, 19_950, 9000]
    const letters = sizes.map((size, index) => letterOf({ offset: BigInt(index), value: Buffer.alloc(size, 'x') }))
    const results = await Promise.allSettled(letters.map((letter) => letterTopic.send(letter, never)))
    expect(results.map(({ status }) => status)).toEqual(sizes.map((size) => (size > 10_000 ? 'rejected' : 'fulfilled')))
    expect((await kept(topic)).flat()).toEqual(letters.filter((_, index) => index !== 4))
    const error = await failureOf(letterTopic.send(letters[4]!, never))
    expect(error.kind).toBe('config')
    expect(error.message).toMatch(
      /"letters-\d+": that of the record of topic "orders", partition 3, offset 4 is larger than it takes \(about \d+ bytes with its headers, before it is compressed\)\. Raise max\.message\.bytes of "letters-\d+" /,
    )
  })

  it('are compressed from 64 KiB on, so that a topic takes what another held compressed', async () => {
    const topic = await topicWith({ 'max.message.bytes': '20000' })
    await using letterTopic = await open(topic)
    const [first] = sample(anyLetter, { numRuns: 1, seed: 12 })
    const letters = [65_536, 200_000, 3_000_000].map((size) =>
      letterOf({ ...first!.record, value: Buffer.alloc(size, 'x') }),
    )
    const results = await Promise.allSettled(letters.map((letter) => letterTopic.send(letter, never)))
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
    const batches = await fetched(topic, letters.length)
    expect(batches.flatMap(({ records }) => records.map((record) => fromMessage(record)))).toEqual(letters)
  })

  it('are refused by a compacted topic, before and while they are sent', async () => {
    const topic = await topicWith({ 'cleanup.policy': 'compact,delete' })
    const error = await failureOf(open(topic))
    expect(error.kind).toBe('config')
    expect(error.message).toContain(`"${topic}": it is compacted (cleanup.policy=compact,delete)`)
    expect(error.message).toContain('Set cleanup.policy=delete')

    const later = await topicWith()
    await using letterTopic = await open(later)
    const configEntries = [{ name: 'cleanup.policy', value: 'compact' }]
    await client.admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: later, configEntries }] })
    const refused = await failureOf(letterTopic.send(letterOf({ key: null }), never))
    expect(refused.kind).toBe('config')
    expect(refused.message).toContain('it does not accept a record without a key')
  })

  it('need a topic that is there, and does not go away', async () => {
    const error = await failureOf(open('no-such-topic'))
    expect(error.kind).toBe('config')
    expect(error.message).toContain(
      '"no-such-topic": there is no such topic (UNKNOWN_TOPIC_OR_PARTITION). Create "no-such-topic"',
    )
    expect(await client.admin.listTopics()).not.toContain('no-such-topic')

    const topic = await topicWith()
    // some time passes before it is believed
    await using letterTopic = await open(topic, { ...systemClock, now: () => systemClock.now() * 10 })
    await letterTopic.send(letterOf({}), never)
    await client.deleteTopic(topic)
    // a broker under load takes letters for a moment after it answered that the topic is deleted
    let gone: unknown
    await until(
      async () => {
        gone = await letterTopic.send(letterOf({}), never).catch((error: unknown) => error)
        return gone instanceof ConnectorError
      },
      () => 'letters are still taken',
    )
    expect(gone).toMatchObject({ kind: 'config', message: expect.stringContaining('there is no such topic') as string })
  })

  it.each([
    ['gone', 'SIGKILL' as const],
    ['frozen', 'SIGSTOP' as const],
  ])('end with the signal while brokers are %s, and the topic closes', async (_, away) => {
    const topic = await topicWith()
    const end = new AbortController()
    const letterTopic = await open(topic)
    await letterTopic.send(letterOf({}), end.signal)
    const pid = broker.pid!
    process.kill(pid, away)
    if (away === 'SIGKILL') await broker.ended()
    else await expect.poll(() => isStopped(pid), { timeout: 20_000 }).toBe(true)
    const waiting = failureOf(letterTopic.send(letterOf({}), end.signal))
    await new Promise((resolve) => setTimeout(resolve, 500))
    end.abort()
    const error = await waiting
    expect(error.kind).toBe('transient')
    expect(error.message).toContain('were not confirmed before the end')
    await letterTopic[Symbol.asyncDispose]()
    await (away === 'SIGKILL' ? broker.start() : Promise.resolve(process.kill(pid, 'SIGCONT')))
  })
})
