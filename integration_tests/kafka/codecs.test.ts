// Batches that others compressed, on a real broker: read back byte by byte, and told where one cannot be read.

import { randomBytes } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FetchedBatch, KafkaRecord } from '../../src/kafka/types.ts'
import { describeParts } from './available.ts'
import { ConsumerCases } from './consumer-cases.ts'
import { produceWithJava, produceWithPython, type ForeignRecord } from './foreign-producer.ts'
import { findPythonKafka } from './find-python-kafka.ts'
import { StreamCheckDriver } from '../stream/check-driver.ts'

const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'] as const
/** Kafka's numbers for them. */
const NUMBERS = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const
const JAVA_BATCHES = [
  ['small', {}],
  ['long', { 'batch.size': '900000', 'max.request.size': '1000000' }],
] as const
const PYTHON_BATCHES = [
  ['librdkafka', 'small', {}],
  ['librdkafka', 'long', { 'batch.size': '900000', 'message.max.bytes': '1000000' }],
  ['kafka-python', 'small', {}],
  ['kafka-python', 'long', { 'batch.size': '900000', 'max.request.size': '1000000' }],
] as const
const python = await findPythonKafka(process.env)

/** Of every kind: alike, random, empty, null, long. */
function manyRecords(): ForeignRecord[] {
  return Array.from({ length: 500 }, (_, at): ForeignRecord => {
    const key = at % 7 === 0 ? null : Buffer.from(`key-${at}`)
    if (at % 50 === 1) return { key, value: null }
    if (at % 50 === 2) return { key, value: Buffer.alloc(0) }
    if (at % 50 === 3) return { key, value: randomBytes(30_000) }
    if (at % 100 === 4) return { key, value: Buffer.alloc(300_000, `${at} and so on `) }
    return { key, value: Buffer.from(JSON.stringify({ id: at, name: `name of ${at}`, tags: ['red', 'green', at] })) }
  })
}

const recordsOf = (batches: readonly FetchedBatch[]): KafkaRecord[] => batches.flatMap(({ records }) => records)

/** A character a byte: texts are compared at once, buffers byte by byte. */
const textsOf = (records: readonly ForeignRecord[]): (string | null)[][] =>
  records.map(({ key, value }) => [key, value].map((bytes) => bytes && bytes.toString('latin1')))

/** Where each batch of a log begins. */
function* batchesIn(log: Buffer): Generator<number> {
  for (let at = 0; at + 61 <= log.length && log.readInt32BE(at + 8) > 0; at += 12 + log.readInt32BE(at + 8)) yield at
}

async function codecsIn(file: string): Promise<Set<number>> {
  const log = await readFile(file)
  return new Set(Array.from(batchesIn(log), (at) => log.readInt16BE(at + 21) & 7))
}

/** Of the last batch, some of its packed records. */
async function damage(file: string): Promise<void> {
  const last = [...batchesIn(await readFile(file))].at(-1)!
  await using opened = await open(file, 'r+')
  await opened.write(Buffer.alloc(40, 0xff), 0, 40, last + 61 + 2)
}

const eachCodec = (use: (codec: (typeof CODECS)[number]) => Promise<void>): Promise<unknown> =>
  Promise.all(CODECS.map(use))

type Produce = typeof produceWithJava

const cases = new ConsumerCases()

cases.describe('batches that others compressed', () => {
  const records = manyRecords()
  const logOf = (topic: string): string => join(cases.broker.folder, 'data', `${topic}-0`, `${'0'.repeat(20)}.log`)
  const topicsOf = async (partitions = 1): Promise<Record<(typeof CODECS)[number], string>> => ({
    gzip: await cases.topicOf(partitions),
    snappy: await cases.topicOf(partitions),
    lz4: await cases.topicOf(partitions),
    zstd: await cases.topicOf(partitions),
  })

  const readsWhatIsWrittenBy = async (
    produce: Produce,
    more: Readonly<Record<string, string>>,
    wanted = records,
  ): Promise<void> => {
    const topics = await topicsOf()
    await produce(cases.broker.bootstrap, wanted, topics, more)
    await eachCodec(async (codec) => {
      await using member = cases.joiner(topics[codec])()
      await member.until(() => recordsOf(member.batches).length >= wanted.length)
      expect(textsOf(recordsOf(member.batches)), codec).toEqual(textsOf(wanted))
      const codecs = await codecsIn(logOf(topics[codec]))
      // kafka-python leaves a batch as it is that would not be shorter
      if (wanted !== records) codecs.delete(0)
      expect(codecs, codec).toEqual(new Set([NUMBERS[codec]]))
    })
  }

  it.each(JAVA_BATCHES)('reads what the Java client wrote in %s batches', (_, more) =>
    readsWhatIsWrittenBy(produceWithJava, more),
  )

  it('leaves what the broker unpacks of its codecs in the folder that goes with it', async () => {
    await produceWithJava(cases.broker.bootstrap, records.slice(0, 5), await topicsOf())
    const unpacked = (await readdir(join(cases.broker.folder, 'tmp'))).join(' ')
    for (const library of ['snappy', 'lz4']) expect(unpacked).toContain(library)
  })

  describeParts('batches of clients for Python', { "Kafka's clients for Python": python }, () => {
    // kafka-python writes no record that is empty altogether
    const some = records.filter(({ key, value }) => key !== null || value !== null)

    it.each(PYTHON_BATCHES)('reads what %s wrote in %s batches', (library, _, more) =>
      readsWhatIsWrittenBy((...args) => produceWithPython(library, ...args), more, some),
    )
  })

  it('ends where a batch is damaged, with all before it read, and names the place', async () => {
    const topics = await topicsOf(2)
    const [good, bad] = [records.slice(10, 30), records.slice(10, 45)]
    const oneBatch = { 'linger.ms': '30000', 'batch.size': '900000' }
    await produceWithJava(cases.broker.bootstrap, good, topics, oneBatch)
    await produceWithJava(cases.broker.bootstrap, bad, topics, oneBatch)
    await eachCodec(async (codec) => {
      const topic = topics[codec]
      await cases.fill(topic, ['beside'], 1)
      await damage(logOf(topic))
      await using member = cases.joiner(topic)()
      await member.until(({ story }) => story.includes('failed'))
      const { error } = member.of('failed')[0]!
      expect(error).toMatchObject({ kind: 'system', track: { name: topic } })
      const place = `Topic "${topic}", partition 0: the batch of the offsets 20 to 54`
      expect(error.message).toMatch(new RegExp(`^${place} is damaged: it should be compressed with ${codec}, but `))
      expect(error.message).toContain("set the group's offset of this partition to 55 ")
      const read = recordsOf(member.batches.filter(({ partition }) => partition === 0))
      expect(textsOf(read), codec).toEqual(textsOf(good))
    })
    await using driver = await StreamCheckDriver.start()
    const { FAIL } = await driver.check({
      brokers: [cases.broker.bootstrap],
      topics: [{ topic: topics.lz4, keys: { offset: true } }],
    })
    expect(FAIL).toEqual([
      expect.stringMatching(new RegExp(`^Topic "${topics.lz4}", partition 0: the batch of the offsets 20 to 54 `)),
    ])
  })
})
