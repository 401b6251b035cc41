import { expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import type { KafkaRecord } from '../types.ts'
import { TOPIC, recordOf, topicConfig } from '../source/testing/topics.ts'
import { TopicMapper, topicShared } from '../topics/topic-mapper.ts'
import { TopicSample } from './topic-sample.ts'

type Placed = readonly [partition: number, record: KafkaRecord]

function told(over: Partial<TopicConfig>, placed: readonly Placed[], divert = false, partitions = 3): string[] {
  const shared = topicShared('')
  const entry = topicConfig(over)
  const odd: string[] = []
  const mapper = new TopicMapper<undefined>(TOPIC, entry, shared, (message) => odd.push(message))
  const sample = new TopicSample({ name: TOPIC, entry, mapper, odd, partitions, space: shared.space })
  for (const [partition, record] of placed) sample.take(partition, record)
  expect(sample.records).toBe(placed.length)
  return sample.findings(divert).map(({ level, text }) => {
    expect(level).toBe('warn')
    expect(text).toMatch(/^Topic "shop\.public\.orders": .*\.$/)
    expect(text).not.toContain('secret')
    return text.slice(`Topic "${TOPIC}": `.length)
  })
}

const row = (id: unknown, key: string | null = String(id), offset = 7n): KafkaRecord =>
  recordOf(JSON.stringify({ id, text: 'secret' }), key, offset)

it('has nothing to say of records that fit, nor of none', () => {
  expect(told({}, [])).toEqual([])
  expect(
    told({}, [
      [0, row(1)],
      [1, row(2)],
      [0, row(1)],
      [2, row('x')],
    ]),
  ).toEqual([])
  expect(
    told({ keys: { from: 'offset', epoch: 0 } }, [
      [0, row(1, null)],
      [1, row(1, null)],
    ]),
  ).toEqual([])
  expect(
    told({ keys: { from: 'key', field: 'id' } }, [
      [0, row(1)],
      [1, row(2)],
    ]),
  ).toEqual([])
})

it('tells that Airbyte messages are of several streams, unless one is named: the others cannot be stored then', () => {
  const of = (stream: string, id: number): Placed => [
    0,
    recordOf(JSON.stringify({ type: 'RECORD', record: { stream, data: { id } } }), String(id)),
  ]
  const placed = [of('b', 1), of('a', 2), of('c', 3)]
  expect(told({ format: 'airbyte' }, placed)).toEqual([
    'it has records of several streams, "a" and "b"; all become rows of "orders". Set its stream.',
  ])
  expect(told({ format: 'airbyte', stream: { name: 'b', namespace: undefined } }, placed)).toEqual([
    expect.stringMatching(/^2 of 3 sampled records cannot be stored; .* it is of another stream than the one that/),
  ])
})

it('counts what cannot be stored, and tells where the first is, without data', () => {
  const placed: Placed[] = [
    [0, row(1)],
    [2, recordOf('secret', '1', 41n)],
    [1, recordOf('{"secret":1}', '2', 3n)],
  ]
  const found =
    /^2 of 3 sampled records cannot be stored; the first is in partition 2, offset 41: its value is not JSON/
  expect(told({}, placed)).toEqual([expect.stringMatching(found)])
  expect(told({}, placed)[0]).toMatch(/end the run: .*dead_letters\.$/)
  expect(told({}, placed, true)[0]).toMatch(/They would become dead letters\.$/)
})

it('counts what a policy stops at, with the words of the run', () => {
  const placed: Placed[] = [
    [0, row(1)],
    [1, recordOf(null, '2', 8n)],
    [1, recordOf(null, '3', 9n)],
  ]
  const [only, ...more] = told({ tombstones: 'fail' }, placed)
  expect(only).toMatch(
    /^2 of 3 sampled records would end the run by its policies; the first: .*partition 1, offset 8: .*tombstones: ignore/,
  )
  expect(more).toEqual([])
})

it('doubts a format that leaves nothing', () => {
  const placed: Placed[] = [
    [0, recordOf('{"type":"STATE","state":{}}')],
    [0, recordOf('{"type":"LOG","log":{}}')],
  ]
  const found = 'all 2 sampled records are ignored (STATE, LOG). Check its format.'
  expect(told({ format: 'airbyte' }, placed)).toEqual([found])
  expect(told({ format: 'airbyte' }, placed.slice(0, 1))).toHaveLength(1)
})

it('says when the order of a row is not that of a partition', () => {
  const torn = told({}, [
    [0, row(1)],
    [1, row(1)],
    [2, row(1)],
    [1, row(2)],
  ])
  expect(torn).toEqual([expect.stringMatching(/^1 of 2 sampled keys have records in more than one partition: .*older/)])
  expect(
    told({ keys: { from: 'key', field: 'id' } }, [
      [0, row(1)],
      [1, row(1)],
    ]),
  ).toHaveLength(1)
  // the same number, however it is written
  const spelt: Placed[] = [
    [0, recordOf('{"id":1}', '1')],
    [1, recordOf('{"id":1.0}', '1')],
  ]
  expect(told({}, spelt)[0]).toMatch(/^1 of 1 sampled keys/)
})

it('says when nothing binds a row to a partition', () => {
  const keyless: Placed[] = [
    [0, row(1, null)],
    [1, row(2, null)],
    [1, row(3)],
  ]
  expect(told({}, keyless)).toEqual([
    expect.stringMatching(/^2 of 3 sampled records have no record key, .*record key\.$/),
  ])
  const other: Placed[] = [
    [0, row(1, 'secret')],
    [1, row(2, '{"customer":2222}')],
  ]
  expect(told({}, other)).toEqual([
    expect.stringMatching(/^2 of 2 sampled records have a record key of something else/),
  ])
  expect(told({}, [...keyless, ...other], false, 1)).toEqual([])
})

it('names columns that look like decimals in base64', () => {
  const change = (price: string): KafkaRecord =>
    recordOf(JSON.stringify({ before: null, after: { id: 1, price }, op: 'c', source: {} }), '{"id":1}')
  const over = { format: 'debezium', keys: { from: 'key', field: undefined } } as const
  expect(told(over, [[0, change('AfQ=')]])).toEqual([
    expect.stringMatching(/^column "price" looks like decimals in base64/),
  ])
  expect(told(over, [[0, change('5.00')]])).toEqual([])
})
