// `stream` as a process on a real broker, with batches that are large or unpack to much: all of it is delivered, in the memory
// that is documented.

import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { batchBytes, recordBytes } from '../../src/kafka/log/testing/log.ts'
import { describeOwnKafka, uniqueName } from '../kafka/available.ts'
import type { Broker } from '../kafka/broker.ts'
import { rawProduce } from '../kafka/raw-produce.ts'
import { until } from '../kafka/until.ts'
import { StreamDriver, tableOf } from './driver.ts'
import { lastFigures } from './stream-process.ts'

const ZSTD = 4
const PATIENCE_MS = 180_000
const isLinux = process.platform === 'linux'
/** What docs/operating.md says. */
const MOST = 400e6
/** Its records are of 1970. */
const LARGE = { 'max.message.bytes': '104000000', 'retention.ms': '-1' }

interface Given {
  readonly partitions: number
  /** Batches that each partition is given, in this order. */
  readonly batches: readonly Buffer[]
  readonly records: number
  /** That the last records are of, from 0 on. */
  readonly rows: number
}

/** @param rows ids come again after so many @param bytes of each value */
function recordsOf(count: number, rows: number, bytes: number): Buffer {
  const records = Array.from({ length: count }, (_, offsetDelta) => {
    const head = `{"id":${offsetDelta % rows},"text":"`
    const value = Buffer.from(head + 'word '.repeat(bytes / 5).slice(head.length + 2) + '"}')
    return recordBytes({ timestampDelta: 0n, offsetDelta, key: null, value, headers: [] })
  })
  return Buffer.concat(records)
}

const plain = (count: number, rows: number, bytes: number): Buffer =>
  batchBytes({ count, packed: recordsOf(count, rows, bytes) })
const packed = (count: number, rows: number, bytes: number): Buffer =>
  batchBytes({ attributes: ZSTD, count, packed: zstdCompressSync(recordsOf(count, rows, bytes)) })

/** Ordinary events: about 35 bytes become one. */
function events(count: number): Buffer {
  const records = Array.from({ length: count }, (_, offsetDelta) => {
    const at = new Date(1.7e12 + offsetDelta * 1000).toISOString()
    const value = Buffer.from(
      `{"id":${offsetDelta},"type":"page_view","url":"https://shop.example.com/catalog/lamps","user":{"country":"DE","device":"mobile"},"at":"${at}"}`,
    )
    return recordBytes({ timestampDelta: 0n, offsetDelta, key: null, value, headers: [] })
  })
  return batchBytes({ attributes: ZSTD, count, packed: zstdCompressSync(Buffer.concat(records)) })
}

const times = (count: number, batch: Buffer): Buffer[] => Array.from({ length: count }, () => batch)

const CASES: readonly (readonly [what: string, given: () => Given])[] = [
  [
    'batches of some KB that unpack to a gigabyte',
    () => ({ partitions: 1, batches: times(8, packed(2600, 4, 50_000)), records: 8 * 2600, rows: 4 }),
  ],
  [
    'ordinary records of ten partitions, packed 35:1, 700 MB',
    () => ({ partitions: 10, batches: times(70, events(7000)), records: 4_900_000, rows: 7000 }),
  ],
  [
    'one batch of 100 MB, and what comes after it',
    () => ({
      partitions: 1,
      batches: [plain(97_000, 1000, 1000), plain(10, 10, 50)],
      records: 97_010,
      rows: 1000,
    }),
  ],
  [
    'one batch that unpacks to 100 MB',
    () => ({ partitions: 1, batches: [packed(97_000, 1000, 1000)], records: 97_000, rows: 1000 }),
  ],
  [
    'batches of six partitions that unpack to 100 MB each',
    () => ({ partitions: 6, batches: [packed(97_000, 1000, 1000)], records: 6 * 97_000, rows: 1000 }),
  ],
  [
    'batches of three partitions of 100 MB each',
    () => ({ partitions: 3, batches: [plain(97_000, 1000, 1000)], records: 3 * 97_000, rows: 1000 }),
  ],
  [
    'a batch of a million small records',
    () => ({ partitions: 1, batches: [packed(1_000_000, 1000, 50)], records: 1_000_000, rows: 1000 }),
  ],
]

describeOwnKafka('stream', (startBroker) => {
  let broker: Broker
  let driver: StreamDriver
  beforeAll(async () => {
    broker = await startBroker({ heap: '1g' })
    driver = await StreamDriver.open(broker.bootstrap)
  })
  afterAll(async () => {
    await driver[Symbol.asyncDispose]()
    await broker[Symbol.asyncDispose]()
  })

  it.each(CASES)('delivers %s, in 400 MB', async (_, make) => {
    const { partitions, batches, records, rows } = make()
    const [topic, group] = [uniqueName('memory'), uniqueName('group')]
    await driver.client.createTopic(topic, partitions, LARGE)
    for (let partition = 0; partition < partitions; partition++)
      for (const batch of batches) await rawProduce(broker.bootstrap, topic, partition, batch)
    await using member = await driver.start({ group, topics: [{ topic, keys: ['id'] }] })
    const ends = await driver.client.highWatermarks(topic)
    await until(
      async () => !member.isAlive || String(await driver.client.committed(group, topic)) === String(ends),
      () => member.toString(),
      PATIENCE_MS,
    )
    expect(member.isAlive, member.toString()).toBe(true)
    const peak = await member.peak()
    expect(lastFigures(await driver.stop(member))).toMatchObject({ records, rejected: 0 })
    expect(await driver.rows(tableOf(topic))).toHaveLength(rows)
    if (isLinux) expect(peak).toBeGreaterThan(50e6)
    expect(peak).toBeLessThan(MOST)
  })
})
