import { describe, expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import { Provenance, type ProvenanceColumn } from '../../mapping/provenance.ts'
import { recordOf, topicOf, type MadeOf } from '../source/testing/topics.ts'
import { topicShared } from './topic-tables.ts'

const ALL = ['_kafka_offset', '_loaded_at', '_kafka_timestamp', '_run_id', '_kafka_topic', '_kafka_partition'] as const
const LOADED = '"_loaded_at":"1970-01-01T00:00:00.001Z"'
const TOLD = `"_kafka_offset":7,${LOADED},"_kafka_timestamp":0,"_run_id":"run-1","_kafka_topic":"shop.public.orders","_kafka_partition":3`
const PLACE = '"_kafka_topic":"shop.public.orders","_kafka_partition":3,"_kafka_offset":7,"_kafka_epoch":4'
const BY_PLACE = `{"keys":["_kafka_topic","_kafka_partition","_kafka_offset","_kafka_epoch"],${PLACE}`

const BY_KEY = { keys: { from: 'key', field: undefined } } as const
const BY_OFFSET = { keys: { from: 'offset', epoch: 4 } } as const

function made(
  over: Partial<TopicConfig>,
  value: string | null,
  key: string | null = null,
  columns: readonly ProvenanceColumn[] = ALL,
): MadeOf {
  const shared = topicShared('', new MapperSpace(new Provenance('run-1', () => 1)), undefined, columns)
  return topicOf(over, shared).map(recordOf(value, key))
}

describe('columns of where a row came from', () => {
  it.each<[string, Partial<TopicConfig>, string | null, string | null, string]>([
    ['fields of the value', {}, '{"id":1,"a":2}', null, `{"keys":["id"],${TOLD},"id":1,"a":2}`],
    [
      'a nested field',
      { keys: { from: 'value', paths: [['a', 'b']] } },
      '{"a":{"b":1}}',
      null,
      `{"keys":["a_b"],"a_b":1,${TOLD},"a":{"b":1}}`,
    ],
    ['the record key', BY_KEY, '{"a":2}', '{"id":1}', `{"keys":["id"],${TOLD},"id":1,"a":2}`],
    ['a plain record key', { keys: { from: 'key', field: 'id' } }, '{}', '1', `{"keys":["id"],${TOLD},"id":1}`],
    [
      'the offset, where they are keys',
      BY_OFFSET,
      '{"a":2}',
      null,
      `${BY_PLACE},${LOADED},"_kafka_timestamp":0,"_run_id":"run-1","a":2}`,
    ],
    [
      'the offset, without a member',
      BY_OFFSET,
      '{}',
      null,
      `${BY_PLACE},${LOADED},"_kafka_timestamp":0,"_run_id":"run-1"}`,
    ],
    [
      'a tombstone',
      { ...BY_KEY, tombstones: 'mark' },
      null,
      '{"id":1}',
      `{"keys":["id"],"id":1,${TOLD},"__deleted":true}`,
    ],
    [
      'a change of Debezium',
      { ...BY_KEY, format: 'debezium' },
      '{"before":null,"after":{"id":1,"a":2},"source":{},"op":"c"}',
      '{"id":1}',
      `{"keys":["id"],${TOLD},"id":1,"a":2}`,
    ],
    [
      'a delete of Debezium',
      { ...BY_KEY, format: 'debezium' },
      '{"before":{"id":1},"after":null,"source":{},"op":"d"}',
      '{"id":1}',
      `{"keys":["id"],"id":1,${TOLD},"__deleted":true}`,
    ],
    [
      'a message of Airbyte',
      { format: 'airbyte' },
      '{"type":"RECORD","record":{"stream":"orders","data":{"id":1},"emitted_at":5}}',
      null,
      `{"keys":["id"],${TOLD},"id":1}`,
    ],
  ])('stand in rows by %s', (_what, over, value, key, point) => {
    expect(made(over, value, key)).toMatchObject({ point })
  })

  it('are those that were chosen, and change no key', () => {
    const chosen = made({}, '{"id":1}', null, ['_run_id'])
    expect(chosen).toMatchObject({ point: '{"keys":["id"],"_run_id":"run-1","id":1}' })
    expect(chosen).toMatchObject({ key: (made({}, '{"id":1}', null, []) as { key: unknown }).key })
  })

  it.each<[Partial<TopicConfig>, string | null]>([
    [{}, null],
    [BY_KEY, '{"id":1}'],
    [BY_OFFSET, null],
  ])('are reserved names: a record’s own is renamed, or the record is rejected (%j)', (over, key) => {
    for (const name of ALL) {
      const { point } = made(over, `{"id":1,"${name}":"own"}`, key) as { point: string }
      expect(point.endsWith(`,"id":1,"${name}_":"own"}`)).toBe(true)
      expect(made(over, `{"id":1,"${name}":1,"${name}_":2}`, key)).toHaveProperty('rejected')
      expect(made(over, `{"id":1,"${name}":1,"${name}":2}`, key)).toHaveProperty('rejected')
    }
  })

  it('are followed by keys of such names, of live and of deleted rows', () => {
    const keys = { from: 'key', field: '_run_id' } as const
    const [live, deleted] = ['{}', null].map((value) => made({ keys, tombstones: 'mark' }, value, '5', ['_run_id']))
    expect(live).toEqual({ point: '{"keys":["_run_id_"],"_run_id":"run-1","_run_id_":5}', key: 5 })
    expect(deleted).toEqual({ point: '{"keys":["_run_id_"],"_run_id_":5,"_run_id":"run-1","__deleted":true}', key: 5 })
  })

  it('hold the topic of a dead letter, whatever it is called', () => {
    const topic = `a"b${'é'.repeat(100_000)}`
    const shared = topicShared('', new MapperSpace(), undefined, ['_kafka_topic', '_kafka_offset'])
    const { point } = topicOf({}, shared, topic).map(recordOf('{"id":1}')) as { point: string }
    expect(JSON.parse(point)).toEqual({ keys: ['id'], _kafka_topic: topic, _kafka_offset: 7, id: 1 })
  })

  it('give way to no nested key', () => {
    const keys = { from: 'value', paths: [['_run', 'id']] } as const
    expect(() => made({ keys }, '{}')).toThrow('as a metadata column')
    expect(() => made({ keys }, '{}', null, ['_loaded_at'])).not.toThrow()
  })
})
