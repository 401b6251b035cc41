import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { KafkaRecord } from '../types.ts'
import { TopicMapper } from './topic-mapper.ts'
import { topicShared } from './topic-tables.ts'
import { recordOf, topicConfig, topicOf, type MadeOf } from '../source/testing/topics.ts'

const BY_KEY = { keys: { from: 'key', field: undefined } } as const
const BY_FIELD = { keys: { from: 'key', field: 'id' } } as const
const BY_OFFSET = { keys: { from: 'offset', epoch: 4 } } as const
const PLACE =
  '{"keys":["_kafka_topic","_kafka_partition","_kafka_offset","_kafka_epoch"],"_kafka_topic":"shop.public.orders","_kafka_partition":3,"_kafka_offset":7,"_kafka_epoch":4'

const point = (text: string, key: unknown): unknown => ({ point: text, key })

describe('format json', () => {
  it.each<[string, unknown]>([
    ['{"id":1,"a":2}', point('{"keys":["id"],"id":1,"a":2}', 1)],
    ['\uFEFF {"id":1}\r\n', point('{"keys":["id"],"id":1}', 1)],
    [
      '{"id":1,"op":"d","before":{"id":2},"after":null,"source":{}}',
      point('{"keys":["id"],"id":1,"op":"d","before":{"id":2},"after":null,"source":{}}', 1),
    ],
    ['{"id":1,"__deleted":true}', point('{"keys":["id"],"id":1,"__deleted":true}', 1)],
    [
      '{"id":1,"a":"__debezium_unavailable_value"}',
      point('{"keys":["id"],"id":1,"a":"__debezium_unavailable_value"}', 1),
    ],
    ['{"type":"RECORD","id":1}', point('{"keys":["id"],"type":"RECORD","id":1}', 1)],
    [
      '{"schema":null,"payload":{"id":1}}',
      {
        rejected: 'its key field "id" is missing',
        hint: expect.stringMatching(/^It looks .*format: debezium/) as unknown,
      },
    ],
    ['', { rejected: 'its value is empty' }],
    ['[{"id":1}]', { rejected: 'its value is JSON but not an object' }],
  ])('%s', (value, expected) => {
    expect(topicOf({}).map(recordOf(value))).toEqual(expected)
  })

  it('hoists nested keys', () => {
    const { map, mapper } = topicOf({ keys: { from: 'value', paths: [['a', 'id'], ['b']] } })
    expect(map(recordOf('{"a":{"id":9223372036854775807},"b":"x"}'))).toEqual(
      point(
        '{"keys":["a_id","b"],"a_id":9223372036854775807,"a":{"id":9223372036854775807},"b":"x"}',
        '21:9223372036854775807e02:"x',
      ),
    )
    expect(map(recordOf('{"a":{"Id":1},"b":"x"}'))).toEqual({
      rejected: 'its key field "a.id" is missing',
      hint: 'It has "Id". Did you mean "Id" in `keys`?',
    })
    expect(map(recordOf('{"a":{"id":null},"b":"x"}'))).toEqual({ rejected: 'its key field "a.id" is null' })
    expect(map(recordOf(`{"a":{"id":"${'x'.repeat(65_536)}"},"b":"x"}`))).toEqual({
      rejected: 'its key field "a.id" has more than 65,536 bytes; choose another key',
    })
    expect(mapper.words).toBe('one row per a_id, b, newest arrival')
  })

  it('reads any text without throwing, and gives back valid points', () => {
    const { map } = topicOf({})
    const value = fc.oneof(
      fc.json(),
      fc.string(),
      fc.dictionary(fc.constantFrom('id', 'keys', 'a', '\u{1F6B2}'), fc.jsonValue()).map((row) => JSON.stringify(row)),
    )
    fc.assert(
      fc.property(value, (text) => {
        const made = map(recordOf(text))
        if (!('point' in made)) return
        const { keys, ...fields } = JSON.parse(made.point) as Record<string, unknown>
        const { keys: renamed, ...row } = JSON.parse(text) as Record<string, unknown>
        expect(keys).toEqual(['id'])
        expect(fields).toEqual(renamed === undefined ? row : { ...row, keys_: renamed })
      }),
    )
  })

  it('never throws at bytes of any kind, whatever the format and keys', () => {
    const formats = fc.constantFrom('json', 'airbyte', 'debezium')
    const keys = fc.constantFrom(BY_KEY, BY_FIELD, BY_OFFSET, {})
    const bytes = fc.oneof(
      fc.constant(null),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .dictionary(
          fc.constantFrom(
            'op',
            'before',
            'after',
            'schema',
            'payload',
            '__deleted',
            'id',
            'type',
            'record',
            'data',
            'stream',
            'source',
            'ts_ms',
          ),
          fc.oneof(fc.jsonValue(), fc.constantFrom('c', 'u', 'd', 'm', 'RECORD', { id: 1 }, null, true)),
        )
        .map((row) => Buffer.from(JSON.stringify(row))),
    )
    fc.assert(
      fc.property(formats, keys, fc.array(fc.tuple(bytes, bytes), { maxLength: 8 }), (format, keys, records) => {
        const { map } = topicOf({
          ...keys,
          format,
          nullKeys: 'dead-letter',
          unavailable: 'null',
          truncate: 'ignore',
          tombstones: 'ignore',
        })
        for (const [key, value] of records) {
          const made = map(recordOf(value, key))
          if ('point' in made) expect(JSON.parse(made.point)).toHaveProperty('keys')
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('tombstones', () => {
  const gone = recordOf(null, '{"id":1,"more":"x"}')

  it('are ignored and counted', () => {
    const { map, mapper } = topicOf({})
    expect([map(gone), map(recordOf('{"id":1}')), map(gone)][0]).toEqual({ ignored: 'tombstone' })
    expect(mapper.ignored).toEqual(new Map([['tombstone', 2]]))
  })

  it('mark the row of their key', () => {
    expect(topicOf({ tombstones: 'mark' }).map(gone)).toEqual(point('{"keys":["id"],"id":1,"__deleted":true}', 1))
    expect(topicOf({ ...BY_KEY, tombstones: 'mark' }).map(gone)).toEqual(
      point('{"keys":["id","more"],"id":1,"more":"x","__deleted":true}', '1,2:"x'),
    )
    expect(topicOf({ ...BY_FIELD, tombstones: 'mark' }).map(recordOf(null, 'u-1'))).toEqual(
      point('{"keys":["id"],"id":"u-1","__deleted":true}', '"u-1'),
    )
    expect(topicOf({ format: 'airbyte', tombstones: 'mark' }).map(gone)).toEqual(
      point('{"keys":["id"],"id":1,"__deleted":true}', 1),
    )
  })

  it.each<[string, object, string | null, string]>([
    ['no key', {}, null, 'it has no Kafka key'],
    ['no key', BY_KEY, null, 'it has no Kafka key'],
    ['no key', { ...BY_KEY, nullKeys: 'offset' }, null, 'it has no Kafka key'],
    ['a plain key', {}, '1', 'its Kafka key is JSON but not an object'],
    ['another key', {}, '{"no":1}', 'its key field "id" is missing in the Kafka key'],
    ['a key of null', {}, '{"id":null}', 'its key field "id" is null in the Kafka key'],
  ])('that have %s mark nothing %#', (_what, config, key, reason) => {
    expect(topicOf({ ...config, tombstones: 'mark' }).map(recordOf(null, key))).toEqual({
      rejected: `the row to mark as deleted is not known: ${reason}`,
    })
  })

  it('are rejected, or stop the run', () => {
    expect(topicOf({ tombstones: 'dead-letter' }).map(gone)).toEqual({ rejected: 'it is a tombstone: it has no value' })
    expect(() => topicOf({ tombstones: 'fail' }).map(gone)).toThrow(
      'Topic "shop.public.orders", partition 3, offset 7: the record has no value: a tombstone, for table "orders". Choose tombstones: ignore, mark or dead-letter for the topic.',
    )
  })
})

describe('keys from the Kafka key', () => {
  it('may be none', () => {
    const record = recordOf('{"id":1}')
    expect(() => topicOf(BY_KEY).map(record)).toThrow(ConnectorError)
    expect(topicOf({ ...BY_KEY, nullKeys: 'dead-letter' }).map(record)).toEqual({ rejected: 'it has no Kafka key' })
    expect(topicOf({ ...BY_KEY, nullKeys: 'offset', epoch: 4 }).map(record)).toEqual(
      point(`${PLACE},"id":1}`, undefined),
    )
    expect(
      topicOf({ ...BY_FIELD, nullKeys: 'offset', epoch: 4 }).map(recordOf('{}', '{"schema":{},"payload":null}')),
    ).toEqual(point(`${PLACE}}`, undefined))
  })

  it('are rejected when they cannot be read', () => {
    expect(topicOf(BY_KEY).map(recordOf('{"id":1}', '1'))).toEqual({
      rejected: 'its Kafka key is JSON but not an object',
    })
    expect(topicOf(BY_FIELD).map(recordOf('{"id":1}', Buffer.from([0xff])))).toEqual({
      rejected: 'its Kafka key is not valid UTF-8',
    })
    expect(topicOf({ ...BY_KEY, tombstones: 'mark' }).map(recordOf(null, ''))).toEqual({
      rejected: 'its Kafka key is empty',
    })
  })

  it('say so', () => {
    expect(topicOf(BY_KEY).mapper.words).toBe('one row per Kafka key, newest arrival')
    expect(topicOf(BY_FIELD).mapper.words).toBe('one row per id, newest arrival')
    expect(topicOf(BY_OFFSET).mapper.words).toBe('one row per record, by topic, partition, offset and epoch')
  })
})

describe('format airbyte', () => {
  const message = (data: string): string => `{"type":"RECORD","record":{"stream":"s","data":${data},"emitted_at":5}}`

  it('has the data of records for rows, and counts the rest', () => {
    const { map, mapper } = topicOf({ format: 'airbyte' })
    expect(map(recordOf(message('{"id":1,"keys":2}')))).toEqual(point('{"keys":["id"],"id":1,"keys_":2}', 1))
    for (const type of ['STATE', 'LOG', 'LOG', 'SPEC']) map(recordOf(`{"type":"${type}"}`))
    expect(mapper.ignored).toEqual(
      new Map([
        ['STATE', 1],
        ['LOG', 2],
        ['other message', 1],
      ]),
    )
    expect(map(recordOf(message('{"id":null}')))).toEqual({ rejected: 'its key field "id" is null' })
    expect(topicOf({ ...BY_OFFSET, format: 'airbyte' }).map(recordOf(message('{}')))).toEqual(
      point(`${PLACE}}`, undefined),
    )
  })
})

describe('format airbyte with several streams', () => {
  const of = (stream: string): KafkaRecord =>
    recordOf(`{"type":"RECORD","record":{"stream":"${stream}","data":{"id":"${stream}"}}}`)
  const outcome = (config: Partial<TopicConfig>, streams: readonly string[]): string[] => {
    const { map } = topicOf({ format: 'airbyte', ...config })
    return streams.map((stream) => `${stream}: ${Object.keys(map(of(stream)))[0]}`).toSorted()
  }

  it('comes to the same whichever is first', () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      expect(outcome({}, order)).toEqual(['a: point', 'b: point'])
      expect(outcome({ stream: { name: 'a', namespace: undefined } }, order)).toEqual(['a: point', 'b: rejected'])
    }
  })
})

describe('a topic', () => {
  it('has a table by its name, or its own', () => {
    const shared = topicShared('k_')
    expect(new TopicMapper('a.b', topicConfig({ table: undefined }), shared).table).toEqual({
      name: 'k_a_b',
      keepLast: true,
    })
    const own = new TopicMapper('a.b', topicConfig({ keepLast: false }), shared)
    expect(own.table).toEqual({ name: 'orders', keepLast: false })
    expect(own.words).toBe('one row per id, newest arrival, every version sent')
  })

  it('shares the table with another of the same name, and keys only of the same fields', () => {
    const shared = topicShared('')
    const first = topicOf({}, shared, 'a')
    const second = topicOf({ keys: { from: 'value', paths: [['no']] } }, shared, 'b')
    expect(second.mapper.table).toBe(first.mapper.table)
    expect(first.map(recordOf('{"id":1}'))).toMatchObject({ key: 1 })
    expect(second.map(recordOf('{"no":1}'))).toMatchObject({ key: '["no"]1' })
    expect(topicOf(BY_KEY, shared, 'c').map(recordOf('{}', '{"id":1}'))).toMatchObject({ key: 1 })
    expect(() => topicOf({ keepLast: false }, shared, 'd')).toThrow('its table "orders" is that of another topic')
  })

  it.each<[object, string]>([
    [{ keys: { from: 'value', paths: [] } }, 'cannot be those of a row'],
    [{ keys: { from: 'value', paths: [['a'], ['a', 'b']] } }, 'its keys "a", "a.b" cannot be those of a row'],
    [{ keys: { from: 'key', field: '__deleted' } }, 'marks deleted rows'],
    [{ ...BY_OFFSET, tombstones: 'mark' }, 'a tombstone names no row to mark'],
  ])('cannot have %j', (config, message) => {
    expect(() => topicOf(config)).toThrow(ConnectorError)
    expect(() => topicOf(config)).toThrow(message)
  })
})

const DEBEZIUM = { format: 'debezium' } as const
const change = (members: string): string => `{${members},"source":{}}`

it('tells a change of Debezium that is read as a plain row, where that has no key', () => {
  const topic = topicOf({})
  for (const value of [change('"op":"c","before":null,"after":{"id":5}'), '{"schema":{},"payload":{"op":"c"}}'])
    expect(topic.map(recordOf(value))).toEqual({
      rejected: 'its key field "id" is missing',
      hint: expect.stringContaining('set format: debezium') as unknown,
    })
  expect(topic.map(recordOf('{"no":5}'))).toEqual({
    rejected: 'its key field "id" is missing',
    hint: 'It has "no".',
  })
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
    [{}, change('"op":"d"'), null, { rejected: 'its key field "id" is missing', hint: 'It has "op", "source".' }],
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
      { unavailable: 'dead-letter', unavailablePlaceholder: 'hex:7e7e' },
      '{"id":1,"a":"~~","b":"__debezium_unavailable_value"}',
      'Debezium did not see the value of its column "a"',
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
    map(recordOf(null, '[1]'))
    map(recordOf(change('"op":"d","before":{"id":1},"after":null'), '{"id":1}'))
    map(recordOf(null, '{"id":1}'))
    map(recordOf(change('"op":"m","message":{}')))
    map(recordOf(change('"op":"t","after":null')))
    map(recordOf('{"status":"END","id":"1","event_count":1,"data_collections":[]}', '{"id":"1"}'))
    map(recordOf('{"ts_ms":1}', '{"serverName":"x"}'))
    expect(Object.fromEntries(mapper.ignored)).toEqual({
      'tombstone without a row': 2,
      tombstone: 1,
      message: 1,
      truncate: 1,
      transaction: 1,
      heartbeat: 1,
    })
  })
})

it('marks the row of a text key of digits, and no other', () => {
  const { map } = topicOf({ keys: { from: 'key', field: 'sku', type: 'text' }, tombstones: 'mark' })
  const [row, gone] = [map(recordOf('{"sku":"123","v":1}', '123')), map(recordOf(null, '123'))]
  expect(row).toMatchObject({ point: '{"keys":["sku"],"sku":"123","v":1}' })
  expect(gone).toMatchObject({ point: '{"keys":["sku"],"sku":"123","__deleted":true}' })
  expect((gone as { key: unknown }).key).toEqual((row as { key: unknown }).key)
})
