// What becomes of deletes of Debezium that do not say all: tombstones whose Kafka key may or may not name their row.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RouteConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { plainPattern } from '../../config/stream/testing/plain-pattern.ts'
import type { SchemaId, SchemaProblem, ValueDecoder } from '../../registry/types.ts'
import { lineMapper, recordOf, topicConfig } from '../source/testing/topics.ts'
import type { KafkaRecord } from '../types.ts'
import { topicEncoding } from './topic-encoding.ts'
import { TopicMapper } from './topic-mapper.ts'
import { topicShared } from './topic-tables.ts'

/** Maps records of one partition, one after another. */
function debezium(over: Partial<TopicConfig> = {}, schemas = new Map<SchemaId, ValueDecoder | SchemaProblem>()) {
  const said: string[] = []
  const config = topicConfig({ table: 'rows', format: 'debezium', ...over })
  const shared = topicShared('')
  const mapper = new TopicMapper<string>('t', config, shared, (text, code) => said.push(`${code}: ${text}`))
  const line = lineMapper(mapper, shared)
  let offset = 0n
  const map = (value: string | null, key: string | Buffer | null, headers: KafkaRecord['headers'] = []): string => {
    const record = { ...recordOf(value, key, offset++), headers }
    return line(topicEncoding(config)?.read(record, schemas) ?? record)
  }
  return { map, said }
}

const BY_KEY = { keys: { from: 'key', field: undefined } } as const
const BY_FIELD = { keys: { from: 'key', field: 'id' } } as const
const ROWLESS = 'tombstone without a row'
const MARK = 'rows: {"keys":["id"],"id":1,"__deleted":true}'
const change = (op: string, before: unknown, after: unknown, more = {}): string =>
  JSON.stringify({ op, before, after, source: { schema: 's', table: 't' }, ...more })

describe('a tombstone', () => {
  it.each<[Partial<TopicConfig>, string | Buffer | null]>([
    [{}, '{"id":1}'],
    [{}, '{"id":1,"region":"eu"}'],
    [{}, '{"schema":{"type":"struct","fields":[]},"payload":{"id":1}}'],
    [BY_KEY, '{"id":1}'],
    [BY_FIELD, '1'],
    [{ ...BY_KEY, nullKeys: 'dead-letter', unavailable: 'dead-letter', truncate: 'ignore' }, '{"id":1}'],
  ])('is a delete, where keys are %j and its Kafka key is %s', (over, key) => {
    const { map, said } = debezium(over)
    expect([map(null, key), map('{"schema":null,"payload":null}', key)]).toEqual([MARK, 'tombstone'])
    expect(said).toEqual([])
  })

  it.each<[Partial<TopicConfig>, string | Buffer | null, string]>([
    [{}, null, 'it has no Kafka key'],
    [{}, '{"schema":null,"payload":null}', 'it has no Kafka key'],
    [{}, '{"no":1}', 'its key field "id" is missing in the Kafka key'],
    [{}, '{"id":null}', 'its key field "id" is null in the Kafka key'],
    [{}, '1', 'its Kafka key is JSON but not an object'],
    [{}, Buffer.from([0, 0, 0, 0, 1, 2]), 'its Kafka key is not JSON'],
    [{}, Buffer.from([0, 0, 0, 0, 1, 0xff]), 'its Kafka key is not valid UTF-8'],
    [BY_KEY, null, 'it has no Kafka key'],
    [BY_KEY, '{"__deleted":1}', 'cannot be the key of a row'],
    [BY_KEY, 'x', 'its Kafka key is not JSON'],
    [BY_FIELD, Buffer.from([0xff]), 'its Kafka key is not valid UTF-8'],
    [{ ...BY_KEY, nullKeys: 'dead-letter' }, null, 'it has no Kafka key'],
  ])('is left out and said once, where keys are %j and its Kafka key is %s', (over, key, why) => {
    const { map, said } = debezium(over)
    expect([map(null, key), map(null, key), map('{"schema":null,"payload":null}', key)]).toEqual(Array(3).fill(ROWLESS))
    expect(said).toEqual([
      expect.stringMatching(/^record\.no-row: Topic "t": a tombstone does not say which row it means: /),
    ])
    expect(said[0]).toContain(why)
  })

  it('is nothing where records without a key are rows of their own, or all are', () => {
    for (const over of [{ ...BY_KEY, nullKeys: 'offset' } as const, { keys: { from: 'offset', epoch: 0 } } as const]) {
      const { map, said } = debezium(over)
      expect([map(null, null), map('{"schema":null,"payload":null}', null)]).toEqual(['null record', 'null record'])
      expect(said).toEqual([])
    }
    const { map } = debezium({ keys: { from: 'offset', epoch: 0 } })
    expect([map(change('d', { id: 1 }, null), '{"id":1}'), map(null, '{"id":1}')]).toEqual(['delete', 'tombstone'])
  })

  it('keeps the older meaning where that is chosen', () => {
    const { map, said } = debezium({ tombstones: 'ignore' })
    expect([map(null, '{"id":1}'), map(null, 'x'), map(null, null)]).toEqual(['tombstone', 'tombstone', 'null record'])
    expect(said).toEqual([])
  })

  it('behind a delete says nothing new, whether its Kafka key names the row or not', () => {
    const other = debezium({ keys: { from: 'value', paths: [['email']] } })
    const gone = change('d', { id: 1, email: 'a' }, null)
    const marked = 'rows: {"keys":["email"],"email":"a","__deleted":true}'
    expect([other.map(gone, '{"id":1}'), other.map(null, '{"id":1}')]).toEqual([marked, 'tombstone'])
    expect([other.map(gone, null), other.map(null, null)]).toEqual([marked, 'null record'])
    expect(other.said).toEqual([])
    expect([other.map(gone, '{"id":1}'), other.map(null, '{"id":2}')]).toEqual([marked, ROWLESS])
    expect([other.map(gone, '{"id":1}'), other.map(null, null)]).toEqual([marked, ROWLESS])
    expect([other.map(gone, null), other.map(null, '{"id":1}')]).toEqual([marked, ROWLESS])
  })

  it('behind a delete that is rejected is one', () => {
    const { map } = debezium({ keys: { from: 'value', paths: [['id']] } })
    expect(map(change('d', 5, null), '{"id":1}')).toBe('rows rejected: its before is not an object')
    expect(map(null, '{"id":1}')).toBe(MARK)
  })

  it('is none of a row that its key spells otherwise, as far as the row before showed', () => {
    const schema = (name: string): string =>
      `{"type":"struct","fields":[{"field":"${name}","type":"struct","fields":[{"field":"id","type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"}}]}]}`
    const live = `{"schema":${schema('after')},"payload":${change('c', null, { id: 'AGU=' })}}`
    const { map, said } = debezium()
    expect(map(live, '{"id":"AGU="}')).toBe('rows: {"keys":["id"],"id":"1.01"}')
    expect(map(null, '{"id":"AGU="}')).toBe(ROWLESS)
    expect(said).toEqual([expect.stringContaining('its Kafka key spells the key fields otherwise than the rows do')])
    // its converter was corrected
    expect(map(live, '{"id":"1.01"}')).toBe('rows: {"keys":["id"],"id":"1.01"}')
    expect(map(null, '{"id":"1.01"}')).toBe('rows: {"keys":["id"],"id":"1.01","__deleted":true}')
  })
})

describe('a tombstone with a key of a registry', () => {
  const json: ValueDecoder = { type: 'AVRO', decode: (bytes, from) => ({ json: bytes.subarray(from) }) }
  const schemas = new Map<SchemaId, ValueDecoder | SchemaProblem>([
    [1, json],
    [2, { problem: 'is not known' }],
  ])
  const by = (id: number, text: string): Buffer => Buffer.from([0, 0, 0, 0, id, ...Buffer.from(text)])

  it.each([
    [BY_KEY, '{"id":1}'],
    [BY_FIELD, '1'],
    [{}, '{"id":1}'],
  ])('is a delete where it can be read, and left out where it cannot: %j', (keys, text) => {
    const { map, said } = debezium({ ...keys, keyEncoding: 'registry' }, schemas)
    expect(map(null, by(1, text))).toBe(MARK)
    for (const key of [by(2, text), text, Buffer.from([1])]) expect(map(null, key)).toBe(ROWLESS)
    expect(said).toEqual([expect.stringContaining('its Kafka key cannot be read with this key_encoding')])
    expect(map(change('d', { id: 1 }, null), by(2, text))).toMatch(/^rows rejected: the schema 2 of its Kafka key/)
  })

  it('is one behind a record that cannot be read', () => {
    const { map } = debezium({ ...BY_KEY, keyEncoding: 'registry' }, schemas)
    expect(map(change('d', { id: 1 }, null), by(1, '{"id":1}'))).toBe(MARK)
    expect(map(change('c', null, { id: 1 }), by(2, '{"id":1}'))).toMatch(/^rows rejected/)
    expect(map(null, by(1, '{"id":1}'))).toBe(MARK)
  })
})

const routed = (by: RouteConfig['by'], over: Partial<RouteConfig> = {}, entry: Partial<TopicConfig> = {}) => {
  const own = topicConfig({ format: 'debezium', table: undefined, ...entry })
  const tables = new Map(['rows', 'others'].map((table) => [table, { ...own, table }]))
  return debezium({ ...entry, table: undefined, route: { by, tables, any: undefined, others: 'stop', ...over } })
}

describe('a tombstone of a topic with a route', () => {
  const header = (value: string): KafkaRecord['headers'] => [['kind', Buffer.from(value)]]

  it('goes by a header alone', () => {
    const { map, said } = routed({ header: 'kind' })
    expect(map(null, '{"id":1}', header('rows'))).toBe(MARK)
    expect(said).toEqual([])
    expect(map(null, '{"no":1}', header('rows'))).toBe(ROWLESS)
    expect(map(null, '{"id":1}')).toBe(ROWLESS)
    expect(said).toHaveLength(1)
    expect(map(null, '{"id":1}', header('unlisted'))).toMatch(/^stops: .* a table that its route does not list/)
    const ignoring = routed({ header: 'kind' }, { others: 'ignore' })
    expect(ignoring.map(null, '{"id":1}', header('unlisted'))).toBe('other value')
  })

  it('is left out elsewhere, unless a delete is right before it', () => {
    const { map, said } = routed(
      { source: true },
      { tables: new Map([['s.t', topicConfig({ format: 'debezium', table: 'rows' })]]) },
    )
    expect([map(change('d', { id: 1 }, null), '{"id":1}'), map(null, '{"id":1}')]).toEqual([MARK, 'tombstone'])
    expect(said).toEqual([])
    expect(map(null, '{"id":1}')).toBe(ROWLESS)
    expect(said).toEqual([expect.stringContaining('only a header can name its table')])
  })
})

describe('a route by a field', () => {
  interface Image {
    readonly type?: string | null
  }
  interface Event {
    readonly op: 'c' | 'r' | 'u' | 'd' | 't'
    readonly before: Image | null
    readonly after: Image
    readonly others: RouteConfig['others']
    readonly truncate: TopicConfig['truncate']
  }

  /** By what docs/routing.md says alone. */
  function judged({ op, before, after, others, truncate }: Event): string | RegExp {
    const isListed = (type: string | null | undefined): boolean => type === 'rows' || type === 'others'
    const fate = (word: string, found: RegExp): string | RegExp =>
      others === 'ignore' ? word : new RegExp(`^${others === 'stop' ? 'stops: .*' : '- rejected: '}${found.source}`)
    const other = (type: string | null | undefined): string | RegExp =>
      fate('other value', typeof type === 'string' ? /its .* names a table that/ : /it has no text or whole number/)
    const tableless = (what: string): string | RegExp =>
      fate('delete without a table', new RegExp(`the ${what} has no text .*: its source sends no full row images`))
    const [was, is] = [before?.type, after.type]
    if (op === 't') return truncate === 'stop' ? /^stops: .*a source table was truncated/ : 'truncate'
    if (op === 'd') {
      if (isListed(was)) return new RegExp(`^${was}: .*"__deleted":true`)
      return typeof was === 'string' && was !== '' ? other(was) : tableless('delete')
    }
    if (op === 'u' && isListed(was) && was !== is)
      return new RegExp(`^${isListed(is) ? is : '-'} rejected: the update changed the field .* would stay in "${was}"$`)
    if (isListed(is)) return new RegExp(`^${is}: .*"type":"${is}"`)
    if (op === 'u' && typeof is !== 'string' && !(before && 'type' in before)) return tableless('update')
    return other(is)
  }

  it('loses no delete and no row that leaves a table without a word', () => {
    const type = fc.constantFrom('rows', 'others', 'archived', '', null)
    const image = fc.record({ type }, { requiredKeys: [] }).map((image): Image => image)
    const event = fc.record<Event>({
      op: fc.constantFrom('c', 'r', 'u', 'u', 'd', 'd', 't'),
      before: fc.option(image),
      after: image,
      others: fc.constantFrom('stop', 'dead-letter', 'ignore'),
      truncate: fc.constantFrom('stop', 'ignore'),
    })
    const row = (of: Image | null): object | null => of && { id: 1, ...of }
    fc.assert(
      fc.property(event, (event) => {
        const { op, before, after, others, truncate } = event
        const { map, said } = routed({ field: ['type'] }, { others }, { truncate })
        const old = op === 'c' || op === 'r' ? null : row(before)
        const value = change(op, op === 't' ? null : old, op === 'd' || op === 't' ? null : row(after))
        const made = [map(value, '{"id":1}'), map(value, '{"id":1}')]
        const expected = judged(event)
        for (const one of made)
          expect(one).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
        const isTold = expected === 'delete without a table'
        expect(said).toEqual(
          isTold ? [expect.stringMatching(/^record\.no-table: Topic "t": the .*REPLICA IDENTITY FULL/)] : [],
        )
      }),
      { numRuns: 3000 },
    )
  })

  it('names a table that is still to be made by no value', () => {
    const { map } = routed(
      { field: ['type'] },
      { others: 'ignore', any: { matching: plainPattern('[a-z]+'), most: 1 } },
    )
    expect(map(change('u', { id: 1, type: 'canary' }, { id: 1, type: 'A' }), '{"id":1}')).toBe(
      '- rejected: the update changed the field that names its table, and the old row would stay in another one',
    )
  })
})

describe('a truncate of a topic with a route', () => {
  const truncate = change('t', null, null)

  it('goes by the table where that is known, and by others', () => {
    const tables = new Map([['s.t', topicConfig({ format: 'debezium', table: 'rows' })]])
    const named = /^stops: .* the source table of "rows" was truncated/
    expect(routed({ source: true }, { tables }).map(truncate, null)).toMatch(named)
    expect(routed({ header: 'kind' }).map(truncate, null, [['kind', Buffer.from('rows')]])).toMatch(named)
    expect(routed({ source: true }, { others: 'ignore' }).map(truncate, null)).toBe('other value')
    expect(routed({ source: true }, { others: 'dead-letter' }).map(truncate, null)).toMatch(
      /^- rejected: its source table/,
    )
    for (const others of ['stop', 'ignore', 'dead-letter'] as const)
      expect(routed({ header: 'kind' }, { others }).map(truncate, null)).toMatch(
        /^stops: .* a source table was truncated/,
      )
    expect(routed({ source: true }, {}, { truncate: 'ignore' }).map(truncate, null)).toBe('truncate')
  })
})

it('a delete without the header that names its table is said to be one', () => {
  const ignoring = routed({ header: 'kind' }, { others: 'ignore' })
  expect(ignoring.map(change('d', { id: 1 }, null), '{"id":1}')).toBe('delete without a table')
  expect(ignoring.said).toEqual([expect.stringContaining('the delete has no header "kind"')])
  expect(routed({ header: 'kind' }).map('{"id":1,"__deleted":"true"}', '{"id":1}')).toMatch(
    /^stops: .*the delete has no header/,
  )
})
