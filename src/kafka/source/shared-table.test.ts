// Two topics that write to one table, delivered and committed.

import { expect, it } from 'vitest'
import { topicShared } from '../topics/topic-tables.ts'
import type { KafkaRecord } from '../types.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { FetchedAhead } from './fetched-ahead.ts'
import { KafkaSource } from './kafka-source.ts'
import { StreamTopics } from './stream-topics.ts'
import { delivered, delivering, until } from './testing/delivery.ts'
import { TestConsumer } from './testing/partitions.ts'
import { recordOf, topicConfig } from './testing/topics.ts'

/** @param first whose keys are [src, dst], partition 0
 *  @param second whose keys are [dst, src], partition 1
 *  @returns what was sent until both offsets were committed */
async function sentOf(first: KafkaRecord, second: KafkaRecord): Promise<unknown[]> {
  const shared = topicShared('', new MapperSpace())
  const entry = (name: string, ...keys: string[]) =>
    topicConfig({ topic: { name }, sharedTable: true, keys: { from: 'value', paths: keys.map((key) => [key]) } })
  const topics = new StreamTopics([entry('a', 'src', 'dst'), entry('b', 'dst', 'src')], shared)
  const topic = (name: string) => topics.find(name)
  const options = {
    space: shared.space,
    clock: { now: () => 0 },
    ahead: new FetchedAhead(),
    keepsRecords: false,
    topic,
  }
  const source = new KafkaSource({ ...options, wallClock: () => 0, turn: () => Promise.resolve(), log: () => {} })
  const consumer = new TestConsumer()
  source.use(consumer)
  const { run, stop, sent } = delivering(source, delivered, undefined, 2)
  const places = ['a', 'b'].map((name, partition) => ({ topic: name, partition, offset: 0n }))
  source.assigned(places)
  for (const [partition, record] of [first, second].entries())
    source.batch({ ...places[partition]!, records: [record], bytes: record.value!.length, next: 1n, highWatermark: 1n })
  await until(() => source.partitions.every(({ isDue }) => isDue))
  await source.commit()
  expect([...consumer.committed.values()]).toEqual([1n, 1n])
  stop.abort()
  await run
  return sent
}

const row = (text: string): KafkaRecord => recordOf(text, null, 0n)

it('sends the rows of both, though the values of one are those of the other the other way round', async () => {
  expect(await sentOf(row('{"src":1,"dst":2}'), row('{"src":2,"dst":1}'))).toEqual([
    { keys: ['src', 'dst'], src: 1, dst: 2 },
    { keys: ['dst', 'src'], src: 2, dst: 1 },
  ])
})

it('sends the newest version of a row that both have', async () => {
  expect(await sentOf(row('{"src":1,"dst":2,"v":1}'), row('{"src":1,"dst":2,"v":2}'))).toEqual([
    { keys: ['dst', 'src'], src: 1, dst: 2, v: 2 },
  ])
})
