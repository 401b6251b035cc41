// `stream` as a process on a real broker, with records of more headers than are read.

import { zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { batchBytes, recordBytes, zigzagVarint, type TestRecord } from '../../src/kafka/log/testing/log.ts'
import { uniqueName } from '../kafka/available.ts'
import { rawProduce } from '../kafka/raw-produce.ts'
import { describeStream, tableOf } from './driver.ts'
import { lastFigures } from './stream-process.ts'

const ZSTD = 4
const MOST = 1000
const MANY = 4_000_000
/** Retention takes what is older than a week. */
const firstTimestamp = BigInt(Date.now())

function plain(offsetDelta: number, headers: TestRecord['headers'] = []): Buffer {
  const [key, value] = [Buffer.from('key'), Buffer.from(`{"id":${offsetDelta}}`)]
  return recordBytes({ timestampDelta: 0n, offsetDelta, key, value, headers })
}

const named = (count: number): TestRecord['headers'] =>
  Array.from({ length: count }, (_, at) => [`h${at}`, Buffer.from('x')] as const)

/** Two bytes a header: no name, no value. */
function withEmptyHeaders(offsetDelta: number, count: number): Buffer {
  const empty = plain(offsetDelta, [])
  const body = Buffer.concat([empty.subarray(1, -1), zigzagVarint(count), Buffer.alloc(count * 2)])
  return Buffer.concat([zigzagVarint(body.length), body])
}

describeStream('records of many headers', (driver, bootstrap) => {
  async function topicOf(...records: readonly Buffer[]): Promise<string> {
    const topic = await driver.topic()
    const packed = zstdCompressSync(Buffer.concat(records))
    await rawProduce(
      bootstrap,
      topic,
      0,
      batchBytes({ attributes: ZSTD, count: records.length, packed, firstTimestamp }),
    )
    return topic
  }

  it('become dead letters without them, where they are more than 1,000, and are replayed where they are not', async () => {
    const group = uniqueName('group')
    const letters = await driver.topic()
    const large = [['large', Buffer.alloc(300_000, 'x')]] as const
    const topic = await topicOf(
      plain(0),
      withEmptyHeaders(1, MANY),
      plain(2, named(MOST)),
      plain(3, named(MOST + 1)),
      plain(4, large),
      plain(5),
    )
    // one that is rejected for its value: its letter has headers of its own beside
    const value = Buffer.from('{"other":1}')
    const other = recordBytes({ timestampDelta: 0n, offsetDelta: 0, key: null, value, headers: named(MOST) })
    await rawProduce(bootstrap, topic, 0, batchBytes({ count: 1, packed: other, firstTimestamp }))
    const config = { dead_letters: { topic: letters } }
    const given = { group, topics: [{ topic, keys: ['id'] }], config }
    await using process = await driver.start(given)
    await driver.committedAre(group, topic, [7n], process)
    expect(lastFigures(await driver.stop(process))).toMatchObject({ records: 7, rejected: 4 })
    expect(await driver.rows(tableOf(topic))).toEqual([0, 2, 5].map((id) => `{"keys":["id"],"id":${id}}`))
    const kept = await driver.client.read(letters)
    const ours = kept.slice(0, 3).map(({ key, value, headers }) => {
      const told = Object.fromEntries(headers.map(([name, own]) => [name, String(own)]))
      return [String(key), String(value), headers.length, told['dlq.offset'], told['dlq.error']]
    })
    expect(ours).toEqual([
      ['key', '{"id":1}', 6, '1', 'it has 4000000 headers, and 1000 are the most: they are left out'],
      ['key', '{"id":3}', 6, '3', 'it has 1001 headers, and 1000 are the most: they are left out'],
      [
        'key',
        '{"id":4}',
        6,
        '4',
        expect.stringMatching(/^its headers have \d{6} bytes, and 262144 are the most: they are left out$/),
      ],
    ])
    expect(kept[3]!.headers.length).toBe(MOST + 6)

    await using replay = await driver.start(
      { ...given, topics: [{ topic, keys: { offset: true } }] },
      '--from-dead-letters',
    )
    expect((await driver.endOf(replay)).code, replay.toString()).toBe(0)
    const rows = (await driver.rows(tableOf(topic))).map((row) => JSON.parse(row) as Record<string, unknown>)
    expect(rows.filter((row) => '_kafka_offset' in row).map(({ _kafka_offset }) => _kafka_offset)).toEqual([1, 3, 4, 6])
  })

  it('end the run where no dead letters are kept, and say why', async () => {
    const topic = await topicOf(plain(0), withEmptyHeaders(1, MANY))
    await using process = await driver.start({ topics: [{ topic, keys: ['id'] }] })
    const ended = await driver.endOf(process)
    expect(ended.code).toBe(1)
    const error = ended.lines.find(({ level }) => level === 'error')
    expect(error!.message).toContain(
      `A record of topic "${topic}", partition 0, offset 1, table "${tableOf(topic)}", cannot be stored: it has 4000000 headers, and 1000 are the most: they are left out.`,
    )
  })
})
