// The option `route`: what it becomes, and what is said of it where it cannot be used.

import { expect, it } from 'vitest'
import { plainPattern } from './testing/plain-pattern.ts'
import { readStreamConfig } from './stream-load.ts'
import { ENV, readConfig } from './testing/stream-configs.ts'

const BY = { by: { field: '/meta/type' } }
const TABLES = { order: { table: 'orders' }, refund: { keys: ['order_id', 'no'], keep_last: false } }

it('gives each table the options of the entry, but for its own', async () => {
  const any = { matching: '[a-z0-9_]+', most: 3 }
  const { config, problems, warnings } = await readConfig({
    topic: { null_keys: 'offset', keys: { key: true }, route: { ...BY, tables: TABLES, any } },
  })
  expect([problems, warnings]).toEqual([[], []])
  const { route } = config!.topics[0]!
  expect([route!.by, route!.others, route!.any]).toEqual([
    { field: ['meta', 'type'] },
    'stop',
    { matching: plainPattern('[a-z0-9_]+'), most: 3 },
  ])
  expect(
    Array.from(route!.tables, ([value, { table, keys, keepLast, nullKeys }]) => [
      value,
      table,
      keys,
      keepLast,
      nullKeys,
    ]),
  ).toEqual([
    ['order', 'orders', { from: 'key', field: undefined }, true, 'offset'],
    ['refund', undefined, { from: 'value', paths: [['order_id'], ['no']] }, false, 'offset'],
  ])
})

it('takes names of values as they are written in YAML', async () => {
  const text = `
import_url: https://import.example.com
client_id: 7
api_key: \${API_KEY}
kafka: { brokers: 'kafka.example.com:9092', group: g }
topics:
  - topic: t
    keys: [id]
    route:
      by: { header: kind }
      tables: { on: , true: , 01: , 1: , 1.0: , null: , __proto__: { table: proto }, order_line: }`
  const { config, problems } = await readStreamConfig(text, { env: ENV, folder: '/etc' })
  expect(problems).toEqual([])
  const values = [...config!.topics[0]!.route!.tables.keys()]
  expect(values.toSorted()).toEqual(['01', '1', '1.0', '__proto__', 'null', 'on', 'order_line', 'true'])
})

const debezium = { format: 'debezium', keys: undefined }
it.each<[string, Record<string, unknown>, string[]]>([
  ['no way', { route: { by: {}, tables: TABLES } }, ['route.by` must be one of { field: NAME }, { header: NAME }']],
  [
    'two ways',
    { route: { by: { field: 'a', header: 'b' }, tables: TABLES } },
    [', { source: true }, found field and header together: keep one'],
  ],
  ['no tables', { route: BY }, ['route` needs `tables`, `any` or both']],
  ['a schema without one', { route: { by: { schema: 'name' }, tables: TABLES } }, ['by.schema` needs a schema: set']],
  ['a source without one', { route: { by: { source: true }, tables: TABLES } }, ['source` needs the format debezium']],
  ['a stream without one', { route: { by: { stream: true }, tables: TABLES } }, ['stream` needs the format airbyte']],
  [
    'a table, a stream and a namespace beside it',
    { format: 'airbyte', table: 'a', stream: 's', namespace: 'n', route: { ...BY, tables: TABLES } },
    ['table` cannot be combined with `route`', 'stream` cannot be', 'namespace` cannot be'],
  ],
  [
    'letters without a place',
    { route: { ...BY, tables: TABLES, others: 'dead-letter' } },
    ['`dead_letters` is not set'],
  ],
  [
    'marks without a header',
    { keys: { key: true }, tombstones: 'mark', route: { ...BY, tables: { a: {} } } },
    ['[0].tombstones` can be mark only where a header names the table', 'tables.a.tombstones` can be mark only where'],
  ],
  ['tables without keys', { keys: undefined, route: { ...BY, tables: TABLES } }, ['tables.order.keys` is required']],
  ['wrong keys of a table', { route: { ...BY, tables: { a: { keys: ['x', 'x'] } } } }, ['tables.a.keys[1]` becomes']],
  ['an empty value', { route: { ...BY, tables: { '': { table: 'x' } } } }, ['route.tables` lists the empty text']],
  ['an unknown option', { route: { ...BY, tables: { a: { tabel: 'x' } } } }, ['tables.a.tabel` is unknown']],
  [
    'two values of one table',
    { route: { ...BY, tables: { a: {}, A: {}, b: { table: 'x' }, c: { table: 'x' } } } },
    ['tables.A` has the table "A", which is "a" but for case, that of `a`: write one `table` alike in both'],
  ],
  ['a pattern of anything', { route: { ...BY, any: { matching: '.*', most: 1 } } }, ['matching` must be a regular']],
  ['a pattern of others', { route: { ...BY, any: { matching: '[^a]', most: 1 } } }, ['matching` must be a regular']],
  ['no whole group', { route: { ...BY, any: { matching: '(a', most: 1 } } }, ['matching` must be a regular']],
  [
    'a large pattern',
    { route: { ...BY, any: { matching: '((a{13}){13}){13}', most: 1 } } },
    ['matching` is too large'],
  ],
  ['a wide range', { route: { ...BY, any: { matching: '[0-z]', most: 1 } } }, ['matching` must be a regular']],
  ['a source and its keys', { ...debezium, route: { by: { source: true }, tables: { a: {} } } }, []],
])('%s', async (_, topic, expected) => {
  const { problems } = await readConfig({ topic })
  const texts = problems
  expect(texts).toHaveLength(expected.length)
  for (const [at, part] of expected.entries()) expect(texts[at]).toContain(part)
})

it('refuses two entries of one table that keep differently many versions, be it a value or a topic', async () => {
  const topics = [
    { topic: 'orders', keys: ['id'], shared_table: true, keep_last: false },
    {
      topic: 'events',
      keys: ['id'],
      shared_table: true,
      route: {
        ...BY,
        tables: { orders: {}, a: { table: 't' }, b: { table: 't', keep_last: false }, c: { table: 'u' } },
      },
    },
    { topic: 'more', keys: ['id'], table: 'u', shared_table: true },
  ]
  const { problems } = await readConfig({ top: { topics } })
  const words = 'keep_last` differs from that of the same table elsewhere: give both the same'
  expect(problems).toEqual([
    expect.stringContaining(`topics[1].route.tables.orders.${words}`),
    expect.stringContaining(`topics[1].route.tables.b.${words}`),
  ])
})

it('warns of two entries of one table whose rows have other keys, be it a value or a topic', async () => {
  const tables = { a: { table: 't' }, b: { table: 't', keys: ['no'] }, c: { table: 'u', keys: ['x', '/y/z'] } }
  const topics = [
    { topic: 'events', keys: ['id'], shared_table: true, route: { ...BY, tables } },
    { topic: 'more', keys: ['y_z', 'x'], table: 'u', shared_table: true },
    { topic: 'plain', keys: { key: 'id' }, table: 't', shared_table: true },
    { topic: 'any', keys: { key: true }, table: 't', shared_table: true },
    { topic: 'every', keys: { offset: true }, table: 'u', shared_table: true },
  ]
  const { problems, warnings } = await readConfig({ top: { topics } })
  const words =
    'which has the same table, so rows of one never replace rows of the other: give both the same, or another'
  expect([problems, warnings]).toEqual([
    [],
    [
      `\`topics[0].route.tables.b.keys\` differ from those of \`topics[0].route.tables.a\`, ${words} \`table\``,
      `\`topics[4].keys\` differ from those of \`topics[0].route.tables.c\`, ${words} \`table\``,
    ],
  ])
})

it('refuses two topics that meet in a table, unless both share it', async () => {
  const topics = (shared: boolean) => [
    { topic: 'orders', keys: ['id'], shared_table: shared },
    { topic: 'events', keys: ['id'], shared_table: shared, route: { ...BY, tables: { Orders: {} } } },
  ]
  const { problems } = await readConfig({ top: { topics: topics(false) } })
  expect(problems).toEqual([
    expect.stringContaining('route.tables.Orders.table` is not its own: the topics "orders" and "events"'),
  ])
  expect((await readConfig({ top: { topics: topics(true) } })).problems).toEqual([])
})
