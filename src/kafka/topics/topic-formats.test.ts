import { describe, expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { recordOf, topicOf } from '../source/testing/topics.ts'
import type { MadeOf } from '../source/testing/topics.ts'

const BY_KEY = { keys: { from: 'key', field: undefined } } as const
const BY_OFFSET = { keys: { from: 'offset', epoch: 4 } } as const
const DEBEZIUM = { format: 'debezium' } as const
const PLACE =
  '{"keys":["_kafka_topic","_kafka_partition","_kafka_offset","_kafka_epoch"],"_kafka_topic":"shop.public.orders","_kafka_partition":3,"_kafka_offset":7,"_kafka_epoch":4'

const point = (text: string, key: unknown): unknown => ({ point: text, key })
const change = (members: string): string => `{${members},"source":{}}`

it('tells a change of Debezium that is read as a plain row, where that has no key', () => {
  const topic = topicOf({})
  for (const value of [change('"op":"c","before":null,"after":{"id":5}'), '{"schema":{},"payload":{"op":"c"}}'])
    expect(topic.map(recordOf(value))).toEqual({
      rejected: expect.stringMatching(/"id" is missing; .*format: debezium/) as unknown,
    })
  expect(topic.map(recordOf('{"ID":5}'))).toEqual({ rejected: 'its key field "id" is missing' })
  expect(topic.map(recordOf(change('"op":"c","after":{},"id":5')))).toHaveProperty('point')
})

describe('format debezium', () => {
  const map = (config: object, value: string | null, key: string | null = null): MadeOf =>
    topicOf({ ...DEBEZIUM, ...config }).map(recordOf(value, key))

  it('marks the old row of a changed key and writes the new one', () => {
    for (const config of [{}, BY_KEY]) {
      const topic = topicOf({ ...DEBEZIUM, ...config })
      expect(topic.map(recordOf(change('"op":"d","before":{"id":4,"a":""},"after":null'), '{"id":4}'))).toEqual(
        point('{"keys":["id"],"id":4,"__deleted":true}', 4),
      )
      expect(topic.map(recordOf(null, '{"id":4}'))).toEqual({ ignored: 'tombstone' })
      expect(topic.map(recordOf(change('"op":"c","before":null,"after":{"id":5,"a":"x"}'), '{"id":5}'))).toEqual(
        point('{"keys":["id"],"id":5,"a":"x"}', 5),
      )
    }
  })

  it.each<[object, string, string | null, unknown]>([
    [{}, change('"op":"d","before":null'), '{"id":4}', point('{"keys":["id"],"id":4,"__deleted":true}', 4)],
    [{}, change('"op":"d","before":{"id":null}'), '{"id":4}', point('{"keys":["id"],"id":4,"__deleted":true}', 4)],
    [{}, change('"op":"d","before":{"id":null}'), null, { rejected: 'its key field "id" is null' }],
    [{}, change('"op":"d"'), null, { rejected: 'its key field "id" is missing' }],
    [
      {},
      change('"op":"d","before":null'),
      null,
      { rejected: 'the row to mark as deleted is not known: it has no Kafka key' },
    ],
    [{}, '{"id":1,"a":2,"__deleted":"true"}', null, point('{"keys":["id"],"id":1,"__deleted":true}', 1)],
    [{}, '{"id":"__debezium_unavailable_value","__deleted":"true"}', null, { rejected: 'its key field "id" is null' }],
    [BY_KEY, '{"id":1,"a":2,"__deleted":"true"}', '{"id":2}', point('{"keys":["id"],"id":2,"__deleted":true}', 2)],
    [{ ...BY_KEY, nullKeys: 'offset' }, '{"id":1,"__deleted":true}', null, { ignored: 'delete' }],
    [{ ...BY_KEY, nullKeys: 'dead-letter' }, '{"id":1,"__deleted":true}', null, { rejected: 'it has no Kafka key' }],
    [BY_OFFSET, change('"op":"d","before":{"id":1}'), null, { ignored: 'delete' }],
    [BY_OFFSET, change('"op":"u","before":{"id":1},"after":{"id":2}'), null, point(`${PLACE},"id":2}`, undefined)],
    [
      { keys: { from: 'value', paths: [['k', 'a']] } },
      change('"op":"d","before":{"k":{"a":"é","b":2},"c":3}'),
      null,
      point('{"keys":["k_a"],"k_a":"é","__deleted":true}', '"é'),
    ],
  ])('of %j reads %s', (config, value, key, expected) => {
    expect(map(config, value, key)).toEqual(expected)
  })

  it.each<[object, string, string]>([
    [{}, change('"op":"c","after":{"id":1,"id":2}'), 'its key field "id" occurs twice'],
    [
      {},
      change('"op":"c","after":{"id":1,"keys":2,"keys_":3}'),
      'the member "keys" must be renamed "keys_", and there is a member of that name',
    ],
    [{ unavailable: 'null' }, '{"id":"__debezium_unavailable_value"}', 'its key field "id" is null'],
    [
      { unavailable: 'dead-letter' },
      '{"id":1,"a":"__debezium_unavailable_value","b":["__debezium_unavailable_value"]}',
      'Debezium did not see the value of its columns "a", "b"',
    ],
    [
      {},
      change('"op":"u","before":{"id":1},"after":{"id":2}'),
      'the update changed its key fields, and the old row would stay: they are not the primary key; let the keys come from the Kafka key',
    ],
  ])('of %j rejects %s', (config, value, rejected) => {
    expect(map(config, value)).toEqual({ rejected })
  })

  it('takes an update for the same row whose key is spelt in another way', () => {
    expect(map({}, change('"op":"u","before":{"id":1.0},"after":{"id":1}'))).toEqual(point('{"keys":["id"],"id":1}', 1))
  })

  it('has one key for decimals, in key and value alike', () => {
    const decimal =
      '{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"},"field":"id"}'
    const row = (field: string): string => `{"type":"struct","fields":[${decimal}],"field":"${field}"}`
    const key = `{"schema":${row('')},"payload":{"id":"AQ=="}}`
    const value = (payload: string): string =>
      `{"schema":{"type":"struct","fields":[${row('before')},${row('after')}]},"payload":${payload}}`
    const fence = { exact: '"0.01', fence: '1e-2' }
    for (const config of [{}, BY_KEY]) {
      expect(map(config, value(change('"op":"c","after":{"id":"AQ=="}')), key)).toEqual(
        point('{"keys":["id"],"id":"0.01"}', fence),
      )
      const gone = point('{"keys":["id"],"id":"0.01","__deleted":true}', fence)
      expect(map(config, value(change('"op":"d","before":{"id":"AQ=="}')), key)).toEqual(gone)
      expect(map(config, value(change('"op":"d","before":null')), key)).toEqual(gone)
    }
    expect(map(BY_KEY, change('"op":"c","after":{"id":"AQ=="}'), key)).toEqual({
      rejected: 'its key fields have other values in its data than in its Kafka key',
    })
  })

  it('stops where a table was truncated, unless told otherwise', () => {
    const truncate = change('"op":"t","before":null,"after":null')
    expect(() => map({}, truncate)).toThrow(ConnectorError)
    expect(map({ truncate: 'ignore' }, truncate)).toEqual({ ignored: 'truncate' })
  })

  it('counts what it ignores, each by its own word', () => {
    const { map, mapper } = topicOf({ ...DEBEZIUM, ...BY_KEY, truncate: 'ignore' })
    map(recordOf(null))
    map(recordOf(null, '{"id":1}'))
    map(recordOf('{"schema":null,"payload":null}', '{"id":1}'))
    map(recordOf(change('"op":"m","message":{}')))
    map(recordOf(change('"op":"t","after":null')))
    map(recordOf('{"status":"END","id":"1","event_count":1,"data_collections":[]}', '{"id":"1"}'))
    map(recordOf('{"ts_ms":1}', '{"serverName":"x"}'))
    expect(Object.fromEntries(mapper.ignored)).toEqual({
      'null record': 1,
      tombstone: 2,
      message: 1,
      truncate: 1,
      transaction: 1,
      heartbeat: 1,
    })
  })
})
