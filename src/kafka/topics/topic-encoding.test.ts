import { expect, it } from 'vitest'
import type { KafkaRecord } from '../types.ts'
import type { SchemaId, ValueDecoder } from '../../registry/types.ts'
import { topicConfig } from '../source/testing/topics.ts'
import { topicEncoding, type KnownSchemas, type TopicEncoding } from './topic-encoding.ts'

/** Its payload is the text of a JSON value, or what is wrong with it behind a "!". */
const words: ValueDecoder = {
  type: 'AVRO',
  decode(bytes, from) {
    const text = bytes.toString('utf8', from)
    return text.startsWith('!') ? { problem: text.slice(1) } : { json: bytes.subarray(from) }
  },
}
const by = (id: number, payload: string): Buffer => Buffer.from([0, 0, 0, 0, id, ...Buffer.from(payload)])
const record = (value: Buffer | null, key: Buffer | null = null): KafkaRecord => ({
  offset: 7n,
  timestamp: 5n,
  key,
  value,
  headers: [['h', Buffer.from('x')]],
})
const KNOWN: KnownSchemas = new Map<SchemaId, ValueDecoder | { problem: string }>([
  [1, words],
  [2, { problem: 'is not known to the registry' }],
])
const both = topicEncoding(
  topicConfig({ valueEncoding: 'registry', keyEncoding: 'registry', keys: { from: 'key', field: undefined } }),
)!
const ids = (encoding: TopicEncoding, ...records: KafkaRecord[]): SchemaId[] => {
  const found = new Set<SchemaId>()
  for (const one of records) encoding.addIds(one, found)
  return [...found]
}

it('is none for a topic that is JSON, nor for keys that nobody asks for', () => {
  expect(topicEncoding(topicConfig())).toBeUndefined()
  expect(topicEncoding(topicConfig({ keyEncoding: 'registry' }))).toBeUndefined()
  expect(topicEncoding(topicConfig({ keyEncoding: 'registry', format: 'debezium' }))).toBeDefined()
})

it('names the schemas of both sides, each once, and none of what is not there or no schema names', () => {
  expect(
    ids(both, record(by(1, 'a'), by(3, 'b')), record(by(1, 'c')), record(null), record(Buffer.from('{}'))),
  ).toEqual([1, 3])
})

it('makes JSON of both sides; place, time and headers stay', () => {
  const read = both.read(record(by(1, '{"a":1}'), by(1, '"k"')), KNOWN)
  expect(read).toMatchObject({ offset: 7n, timestamp: 5n, headers: [['h', Buffer.from('x')]] })
  const { value, key } = read
  expect([String(value), String(key)]).toEqual(['{"a":1}', '"k"'])
  expect(both.read(record(null), KNOWN)).toMatchObject({ value: null, key: null })
})

it('reads a null of Avro as no value, with the key it has; one of JSON stays', () => {
  expect(both.read(record(by(1, 'null'), by(1, '"k"')), KNOWN)).toMatchObject({ value: null, key: Buffer.from('"k"') })
  for (const text of ['"null"', '[null]']) expect(both.read(record(by(1, text)), KNOWN).value).not.toBeNull()
  const json: KnownSchemas = new Map([[1, { ...words, type: 'JSON' }]])
  expect(both.read(record(by(1, 'null')), json).value).toEqual(Buffer.from('null'))
})

it('leaves a side alone that is text', () => {
  const encoding = topicEncoding(topicConfig({ valueEncoding: 'registry' }))!
  const key = Buffer.from('plain')
  expect(encoding.read(record(by(1, '1'), key), KNOWN).key).toBe(key)
})

it('says why a record cannot be read, and on which side', () => {
  const why = (...sides: readonly [Buffer, Buffer?]) => both.read(record(...sides), KNOWN).unread?.why
  expect(why(by(2, ''))).toBe('the schema 2 of its value is not known to the registry')
  expect(why(by(1, '!ends too early'))).toBe('its value ends too early')
  expect(why(by(1, '1'), by(1, '!ends'))).toBe('its Kafka key ends')
  expect(why(Buffer.from('{}'))).toMatch(/^its value begins with 0x7b .*value_encoding: text$/)
})

it('is not asked before its schemas are there', () => {
  expect(() => both.read(record(by(9, '')), KNOWN)).toThrow(TypeError)
})
