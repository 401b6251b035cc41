// Which of a topic's tables a record goes to: by what names it, and what becomes of those that go to none.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainPattern } from '../../config/stream/testing/plain-pattern.ts'
import type { RouteConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { lineMapper, recordOf, topicConfig } from '../source/testing/topics.ts'
import { shortened } from '../../text/printable.ts'
import type { KafkaRecord } from '../types.ts'
import { TopicMapper } from './topic-mapper.ts'
import { topicShared, type TopicShared } from './topic-tables.ts'

const TOPIC = 'shop.events'

type Tables = Readonly<Record<string, Partial<TopicConfig>>>

/** Maps records of one routed topic, one after another.
 *  @param tables by value */
function routed(
  by: RouteConfig['by'],
  tables: Tables,
  {
    route,
    shared = topicShared(''),
    topic = TOPIC,
    ...entry
  }: Partial<Omit<TopicConfig, 'route' | 'topic'>> & {
    route?: Partial<RouteConfig>
    shared?: TopicShared
    topic?: string
  } = {},
) {
  const own = topicConfig({ table: undefined, ...entry })
  const listed = new Map(Object.entries(tables).map(([value, rules]) => [value, { ...own, ...rules }]))
  const config = { ...own, route: { by, tables: listed, any: undefined, others: 'dead-letter' as const, ...route } }
  const mapper = new TopicMapper<string>(topic, config, shared)
  const line = lineMapper(mapper, shared)
  return { mapper, map: (record: KafkaRecord | string) => line(typeof record === 'string' ? recordOf(record) : record) }
}

const KINDS = {
  order: { table: 'orders' },
  refund: { keys: { from: 'value', paths: [['order_id'], ['no']] } },
} as const
const LISTED = 'names a table that its route does not list'

describe('by a field', () => {
  it('takes each record to the table of its value, with the keys of that table', () => {
    const { map } = routed({ field: ['type'] }, KINDS)
    expect(map('{"type":"order","id":1}')).toBe('orders: {"keys":["id"],"type":"order","id":1}')
    expect(map('{"no":2,"order_id":1,"type":"refund"}')).toBe(
      'refund: {"keys":["order_id","no"],"no":2,"order_id":1,"type":"refund"}',
    )
    expect(map('{"type":"refund","id":1}')).toBe('refund rejected: its key field "no" is missing')
  })

  it.each([
    ['{"kind":"order"}', 'it has no text or whole number at "type", which names its table'],
    ['{"type":null}', 'it has no text or whole number at "type", which names its table'],
    ['{"type":true}', 'it has no text or whole number at "type", which names its table'],
    ['{"type":1.0}', 'it has no text or whole number at "type", which names its table'],
    ['{"type":{"a":1}}', 'it has no text or whole number at "type", which names its table'],
    ['{"type":"Order"}', `its text or whole number at "type" ${LISTED}`],
    ['{"type":"order "}', `its text or whole number at "type" ${LISTED}`],
    ['{"type":"order","type":"order"}', 'its route field "type" occurs twice'],
    ['[]', 'its value is JSON but not an object'],
  ])('%s has no table', (value, reason) => {
    expect(routed({ field: ['type'] }, KINDS).map(value)).toBe(`- rejected: ${reason}`)
  })

  it('finds it nested, and twice there too', () => {
    const { map } = routed({ field: ['meta', 'a/b'] }, KINDS)
    expect(map('{"id":1,"meta":{"x":1,"a/b":"order"}}')).toMatch(/^orders: /)
    expect(map('{"id":1,"meta":[{"a/b":"order"}]}')).toMatch(/it has no text/)
    expect(map('{"id":1,"meta":{"a/b":"order","a/b":"refund"}}')).toMatch(/its route field "meta.a\/b" occurs twice/)
  })

  it('compares texts, whatever they are and however they are written', () => {
    const odd = fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '\ufffd', '\0', 'a'), maxLength: 3 })
    const plain = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.constantFrom('__proto__'))
    const texts = fc.oneof(plain, odd)
    const escaped = (text: string): string =>
      `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (listed, sent, isEscaped) => {
        const tables = Object.fromEntries([[listed, { table: 'found' }]])
        const name = isEscaped ? escaped('type') : '"type"'
        const { map, mapper } = routed({ field: ['type'] }, tables, { route: { others: 'ignore' } })
        for (const text of [listed, sent]) {
          const value = isEscaped ? escaped(text) : JSON.stringify(text)
          expect(map(`{"id":1,${name}:${value}}`).startsWith('found: ')).toBe(text === listed)
          expect(mapper.route!.lastValue).toBe(shortened(text, 200))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('compares whole numbers as the text they are, of any size', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (listed, sent) => {
        const tables = { [`${listed}`]: { table: 'found' } }
        const { map } = routed({ field: ['type'] }, tables, { route: { others: 'ignore' } })
        expect(map(`{"id":1,"type":${sent}}`).startsWith('found: ')).toBe(sent === listed)
        expect(map(`{"id":1,"type":"${listed}"}`)).toMatch(/^found: /)
      }),
    )
  })

  it('never throws at bytes of any kind, and names a table only where it is listed', () => {
    const { map } = routed({ field: ['a', 'b'] }, { x: { table: 'found' } })
    const value = fc.oneof(fc.json(), fc.string(), fc.constant('{"id":1,"a":{"b":"x"}}'))
    fc.assert(
      fc.property(value, (text) => {
        expect(map(text)).toMatch(/^(found: |- rejected: |found rejected: )/)
      }),
    )
  })
})

describe('by a header', () => {
  const under = (
    headers: KafkaRecord['headers'],
    value: string | null = '{"id":1}',
    key = '{"id":1}',
  ): KafkaRecord => ({
    ...recordOf(value, key),
    headers,
  })

  it('takes the last one of the name', () => {
    const { map } = routed({ header: 'kind' }, KINDS)
    const header = (name: string, text: string) => [name, Buffer.from(text)] as const
    expect(map(under([header('kind', 'refund'), header('kind', 'order'), header('Kind', 'refund')]))).toMatch(
      /^orders: /,
    )
    expect(map(under([]))).toBe('- rejected: it has no header "kind", which names its table')
    expect(map(under([['kind', null]]))).toBe('- rejected: it has no header "kind", which names its table')
    expect(map(under([['kind', Buffer.from([0xff])]]))).toBe(`- rejected: its header "kind" ${LISTED}`)
  })

  it('lists no text that no header can be', () => {
    const { map, mapper } = routed({ header: 'kind' }, { '\ud800': { table: 'found' } })
    const bytes = [
      [0xff, 0x00, 0xd8],
      [0xed, 0xa0, 0x80],
      [0, 0xef, 0xbf, 0xbd],
    ]
    for (const kind of bytes) {
      expect(map(under([['kind', Buffer.from(kind)]]))).toBe(`- rejected: its header "kind" ${LISTED}`)
      expect(mapper.route!.lastValue).toBe(Buffer.from(kind).toString())
    }
  })

  it('routes tombstones, each by the rule of its table', () => {
    const keys = { from: 'key', field: undefined } as const
    const { map } = routed(
      { header: 'kind' },
      { order: { keys, tombstones: 'mark' }, refund: { keys }, late: { keys, tombstones: 'dead-letter' } },
    )
    const tombstone = (kind: string) => under([['kind', Buffer.from(kind)]], null)
    expect(map(tombstone('order'))).toBe('order: {"keys":["id"],"id":1,"__deleted":true}')
    expect(map(tombstone('refund'))).toBe('tombstone')
    expect(map(tombstone('late'))).toBe('late rejected: it is a tombstone: it has no value')
    expect(map(under([], null))).toMatch(/^- rejected: it has no header/)
  })

  it('ignores tombstones where every table does', () => {
    expect(routed({ header: 'kind' }, KINDS).map(under([], null))).toBe('tombstone')
  })
})

describe('by what the format says', () => {
  it('by the name of the schema', () => {
    const { map } = routed({ schema: 'name' }, { 'shop.Order': {} })
    expect(map({ ...recordOf('{"id":1}'), schema: 'shop.Order' })).toMatch(/^shop_Order: /)
    expect(map(recordOf('{"id":1}'))).toBe('- rejected: it has no name of a schema, which names its table')
  })

  it('by the stream, with its namespace, and warns of no second one', () => {
    const { map } = routed({ stream: true }, { orders: {}, 'crm.orders': {} }, { format: 'airbyte' })
    const message = (stream: string) => `{"type":"RECORD","record":{${stream},"data":{"id":1},"emitted_at":1}}`
    expect(map(message('"stream":"orders"'))).toMatch(/^orders: /)
    expect(map(message('"stream":"orders","namespace":"crm"'))).toMatch(/^crm_orders: /)
    expect(map(message('"stream":"orders","namespace":""'))).toMatch(/^orders: /)
    expect(map(message('"stream":"users"'))).toBe(`- rejected: its stream ${LISTED}`)
    expect(map('{"type":"STATE"}')).toBe('STATE')
  })

  it('by the source table, deletes too', () => {
    const { map } = routed({ source: true }, { 'public.orders': {}, 'crm.users': {} }, { format: 'debezium' })
    const change = (source: string, op: string, row = '{"id":1}') =>
      `{"before":${op === 'd' ? row : 'null'},"after":${op === 'd' ? 'null' : row},"source":${source},"op":"${op}","ts_ms":1}`
    const postgres = '{"db":"shop","schema":"public","table":"orders"}'
    expect(map(change(postgres, 'c'))).toBe('public_orders: {"keys":["id"],"id":1}')
    expect(map(change(postgres, 'd'))).toBe('public_orders: {"keys":["id"],"id":1,"__deleted":true}')
    expect(map(change('{"db":"crm","table":"users"}', 'u'))).toMatch(/^crm_users: /)
    expect(map(change('{"db":"crm"}', 'u'))).toBe('- rejected: it has no source table, which names its table')
    expect(map('{"id":1,"source":{"db":"crm","table":"users"}}')).toMatch(/^- rejected: it has no source table/)
    expect([map(recordOf(null, '{"id":1}')), map('{"ts_ms":1}')]).toEqual([
      'tombstone without a row',
      '- rejected: it has no source table, which names its table',
    ])
    expect(map(recordOf('{"ts_ms":1}', '{"serverName":"s"}'))).toBe('heartbeat')
  })

  it('rejects an update of Debezium that would leave a row in another table', () => {
    const { map } = routed({ field: ['type'] }, { a: {}, b: {} }, { format: 'debezium', route: { others: 'ignore' } })
    const update = (from: string, to: string) =>
      `{"before":{"id":1,"type":"${from}"},"after":{"id":1,"type":"${to}"},"source":{},"op":"u","ts_ms":1}`
    expect(map(update('a', 'a'))).toMatch(/^a: /)
    expect(map(update('a', 'b'))).toMatch(/^b rejected: the update changed the field that names its table/)
    expect(map(update('c', 'b'))).toMatch(/^b: /)
  })
})

describe('other values', () => {
  it('end the run unless they are to be kept or ignored, and are never quoted', () => {
    const stops = routed({ field: ['type'] }, KINDS, { route: { others: 'stop' } })
    expect(stops.map('{"type":"secret-value"}')).toBe(
      'stops: Topic "shop.events", partition 0, offset 7: its text or whole number at "type" names a table that its route does not list. Add it to `route.tables`, or write `others: dead-letter` or `others: ignore` in the route. stream --check shows the value.',
    )
    const ignores = routed({ field: ['type'] }, KINDS, { route: { others: 'ignore' } })
    expect([ignores.map('{"type":"x"}'), ignores.map('{}'), ignores.map('{"type":"x"}')]).toEqual(
      Array(3).fill('other value'),
    )
    expect([...ignores.mapper.ignored]).toEqual([['other value', 3]])
    expect([...ignores.mapper.route!.unrouted.unlisted]).toEqual([['x', 2]])
  })

  it('are kept for whoever asks up to a bound', () => {
    const { map, mapper } = routed({ field: ['type'] }, KINDS, { route: { others: 'ignore' } })
    for (let value = 0; value < 1000; value++) map(`{"type":"v${value}${'x'.repeat(1000)}"}`)
    const { unlisted } = mapper.route!.unrouted
    expect([unlisted.size, Math.max(...[...unlisted.keys()].map(({ length }) => length))]).toEqual([20, 200])
  })
})

describe('any', () => {
  const any = { matching: plainPattern('[a-z0-9_]+'), most: 2 }

  it('makes none that another value has, compared without case, unless that one names it', () => {
    const tables = { Order: {}, 'a-b': {}, purchase: { table: 'p_sale' } }
    const { map } = routed({ field: ['type'] }, tables, {
      route: { any: { matching: plainPattern('[a-z0-9_]*'), most: 9 } },
      shared: topicShared('p_'),
    })
    const of = (type: string) => map(`{"id":1,"type":"${type}"}`).replace(/:.*?(list it|$)/s, ': $1')
    expect(['order', 'a_b', 'Order', 'sale', 'sale', 'purchase', 'c'].map(of)).toEqual([
      '- rejected: list it, with a table of its own',
      '- rejected: list it, with a table of its own',
      'p_Order: ',
      'p_sale: ',
      'p_sale: ',
      'p_sale: ',
      'p_c: ',
    ])
    expect(map('{"id":1,"type":""}')).toContain(LISTED)
  })

  it('makes a table for each value that matches whole, so many and no more', () => {
    const { map, mapper } = routed(
      { field: ['type'] },
      { order: { table: 'orders' } },
      { route: { any }, shared: topicShared('p_') },
    )
    const made = ['a', 'order', 'B', 'b', 'a', 'c', 'a b', 'b'].map(
      (type) => map(`{"id":1,"type":"${type}"}`).split(/[: ]/)[0],
    )
    expect(made).toEqual(['p_a', 'orders', '-', 'p_b', 'p_a', '-', '-', 'p_b'])
    expect([...mapper.route!.counts].map(([table, { records }]) => [table.name, records])).toEqual([
      ['orders', 1],
      ['p_a', 2],
      ['p_b', 2],
    ])
  })

  it('counts no table as made that a listed value names', () => {
    const { map } = routed(
      { field: ['type'] },
      { purchase: { table: 'sale' } },
      { route: { any: { ...any, most: 1 } } },
    )
    const made = ['sale', 'a', 'b', 'sale'].map((type) => map(`{"id":1,"type":"${type}"}`).split(/[: ]/)[0])
    expect(made).toEqual(['sale', 'a', '-', 'sale'])
  })

  it.each(['([a-z0-9]+_?)+', '[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*'])('is done with every value at once: %s', (matching) => {
    const route = { any: { matching: plainPattern(matching), most: 2 } }
    const { map, mapper } = routed({ field: ['type'] }, { a: {} }, { format: 'debezium', route })
    expect(map(`{"id":1,"type":"${'a'.repeat(199)}-"}`)).toContain(LISTED)
    const change = (before: string) =>
      `{"before":{"id":1,"type":"${before}"},"after":{"id":1,"type":"a"},"op":"u","ts_ms":1}`
    expect(map(change(`${'a'.repeat(100_000)}-`))).toMatch(/^a: /)
    expect(map(change('a'.repeat(201)))).toMatch(/^a: /)
    expect(map(change('a'.repeat(200)))).toContain('the old row would stay in another one')
    expect(mapper.route!.all).toHaveLength(1)
  })

  it('rejects where a listed value names the table with another keep_last', () => {
    const tables = { sold: { table: 'sale', keepLast: false }, cart: { table: 'basket' } }
    const { map } = routed({ field: ['type'] }, tables, { route: { any }, sharedTable: true })
    const of = (type: string) => map(`{"id":1,"type":"${type}"}`).replace(/(?<=^[a-z]+:) .*/, '')
    const reason = 'its table is that of a listed value with another keep_last: give both the same'
    expect(['sale', 'sold', 'sale', 'basket'].map(of)).toEqual([
      `- rejected: ${reason}`,
      'sale:',
      `- rejected: ${reason}`,
      'basket:',
    ])
  })

  it('rejects where a table is that of another topic, and does not share it', () => {
    const shared = topicShared('')
    const others = [
      new TopicMapper('other', topicConfig({ table: 'A' }), shared),
      new TopicMapper('keeps', topicConfig({ table: 'b', sharedTable: true, keepLast: false }), shared),
    ]
    expect(others.map(({ table }) => table?.name)).toEqual(['A', 'b'])
    const { map } = routed({ field: ['type'] }, {}, { route: { any }, shared, sharedTable: true })
    const reason = 'its table is that of another topic: set shared_table and one keep_last for both'
    expect(map('{"id":1,"type":"a"}')).toBe(`- rejected: ${reason}`)
    expect(map('{"id":1,"type":"b"}')).toBe(`- rejected: ${reason}`)
    expect(map('{"id":1,"type":"c"}')).toMatch(/^c: /)
  })
})
