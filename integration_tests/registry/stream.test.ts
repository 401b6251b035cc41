// What `stream` does with values and keys that are written by schemas of a registry, as a process on a real broker: rows,
// dead letters and their replay, a registry that is away, one that refuses, and what --check says of all that.

import avsc from 'avsc'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { startFakeRegistry, type FakeRegistry } from './fake-registry.ts'
import { framed } from './framed.ts'
import { describeStream, tableOf } from '../stream/driver.ts'
import { healthOf } from '../stream/health-of.ts'
import { lastFigures } from '../stream/stream-process.ts'
import { until } from '../kafka/until.ts'

const LOGIN = { username: 'reader', password: 'canary-registry-password' }
const OUTAGE_MS = Number(process.env['REGISTRY_OUTAGE_SECONDS'] ?? 6) * 1000

const long = avsc.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer(value: bigint) {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(value)
    return bytes
  },
  fromJSON: (value: number) => BigInt(value),
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => Number(a > b) - Number(a < b),
})
const PRICE = { type: 'bytes', logicalType: 'decimal', precision: 10, scale: 2 }
const ORDER_1 = {
  type: 'record',
  name: 'Order',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'item', type: ['null', 'string'], default: null },
    { name: 'price', type: PRICE },
  ],
}
const ORDER_2 = { ...ORDER_1, fields: [...ORDER_1.fields, { name: 'tags', type: { type: 'array', items: 'string' } }] }
const PROTO = 'syntax = "proto3"; message Other { string a = 1; } message Visit { int64 id = 1; string page = 2; }'

const encoder = (schema: object): avsc.Type => avsc.Type.forSchema(schema as avsc.Schema, { registry: { long } })
const order = (id: bigint, item: string | null, cents: number) => ({
  id,
  item,
  price: Buffer.from([cents >> 8, cents & 0xff]),
})

describeStream('stream with a schema registry', (driver) => {
  let registry: FakeRegistry
  const ids = { first: 0, second: 0, proto: 0, json: 0, key: 0 }
  beforeAll(async () => {
    registry = await startFakeRegistry({ prefix: '/apis/ccompat/v7', login: LOGIN })
    await driver.work.file('registry-password', LOGIN.password)
    ids.first = registry.register('orders-value', { schema: JSON.stringify(ORDER_1) }).id
    ids.second = registry.register('orders-value', { schema: JSON.stringify(ORDER_2) }).id
    ids.proto = registry.register('visits-value', { schema: PROTO, schemaType: 'PROTOBUF' }).id
    ids.json = registry.register('plain-value', { schema: '{"type":"object"}', schemaType: 'JSON' }).id
    ids.key = registry.register('orders-key', { schema: '"string"' }).id
  })
  afterAll(() => registry[Symbol.asyncDispose]())

  const config = (more: object = {}): Record<string, unknown> => ({
    schema_registry: {
      url: registry.url,
      username: LOGIN.username,
      password: { file: `${driver.work.path}/registry-password` },
    },
    ...more,
  })
  const first = encoder(ORDER_1)
  const orderOf = (id: bigint, item: string | null = 'desk', cents = 199): Buffer =>
    framed(ids.first, first.toBuffer(order(id, item, cents)))
  const filled = (values: readonly (Buffer | string)[], keys: readonly (Buffer | string | null)[] = []) =>
    driver.filled(values.map((value, at) => ({ value, key: keys[at] ?? null })))

  it('makes rows of Avro, Protobuf and JSON, by whatever schema each value names', async () => {
    const second = encoder(ORDER_2).toBuffer({ ...order(-(2n ** 63n), null, 5), tags: ['a', '"'] })
    const orders = await filled([orderOf(9_007_199_254_740_993n), framed(ids.second, second)])
    const visit = Buffer.concat([Buffer.from([2, 2, 8]), Buffer.from('ffffffffffffffff7f1202c3a9', 'hex')])
    const visits = await filled([framed(ids.proto, visit)])
    const plain = await filled([framed(ids.json, Buffer.from('{"id":1.10,"n":12345678901234567890}'))])
    const topics = [orders, visits, plain].map((topic) => ({ topic, keys: ['id'], value_encoding: 'registry' }))
    const group = uniqueName('group')
    await using process = await driver.start({ group, topics, config: config() })
    for (const { topic } of topics) await driver.committedAre(group, topic, [topic === orders ? 2n : 1n], process)
    await driver.stop(process)
    expect(await driver.rows(tableOf(orders))).toEqual([
      '{"keys":["id"],"id":-9223372036854775808,"item":null,"price":"0.05","tags":["a","\\""]}',
      '{"keys":["id"],"id":9007199254740993,"item":"desk","price":"1.99"}',
    ])
    expect(await driver.rows(tableOf(visits))).toEqual(['{"keys":["id"],"id":9223372036854775807,"page":"é"}'])
    expect(await driver.rows(tableOf(plain))).toEqual(['{"keys":["id"],"id":1.10,"n":12345678901234567890}'])
  })

  it('takes rows apart by keys of the registry, and by texts beside encoded values', async () => {
    const key = framed(ids.key, encoder({ type: 'string' }).toBuffer('7'))
    const encoded = await filled([orderOf(1n)], [key])
    const text = await filled([orderOf(1n)], ['7'])
    const topics = [
      { topic: encoded, keys: { key: 'k' }, value_encoding: 'registry', key_encoding: 'registry' },
      { topic: text, keys: { key: 'k' }, value_encoding: 'registry' },
    ]
    await using process = await driver.start({ topics, config: config() })
    const rest = '"id":1,"item":"desk","price":"1.99"}'
    await driver.rowsAre(tableOf(encoded), [`{"keys":["k"],"k":"7",${rest}`], process)
    await driver.rowsAre(tableOf(text), [`{"keys":["k"],"k":7,${rest}`], process)
    await driver.stop(process)
  })

  it('keeps what no schema reads as dead letters, byte for byte, and replays them once it is registered', async () => {
    const later = 4_000
    const letters = await driver.topic()
    const values = [
      orderOf(1n),
      framed(later, first.toBuffer(order(2n, 'lamp', 1))),
      '{"id":3}',
      orderOf(4n).subarray(0, 8),
    ]
    const topic = await filled(values)
    const group = uniqueName('group')
    const given = {
      group,
      topics: [{ topic, keys: ['id'], value_encoding: 'registry' }],
      config: config({ dead_letters: { topic: letters } }),
    }
    {
      await using process = await driver.start(given)
      await driver.committedAre(group, topic, [4n], process)
      const ended = await driver.stop(process)
      expect(lastFigures(ended)).toMatchObject({ records: 4, rejected: 3 })
    }
    const kept = await driver.client.read(letters)
    expect(kept.map(({ value }) => value?.toString('latin1'))).toEqual(
      values.slice(1).map((value) => Buffer.from(value).toString('latin1')),
    )
    const reasons = kept.map(({ headers }) => String(headers.find(([name]) => name === 'dlq.error')?.[1]))
    expect(reasons[0]).toMatch(/schema 4000 of its value is not known/)
    expect(reasons[1]).toMatch(/its value begins with 0x7b .* value_encoding: text/)
    expect(reasons[2]).toMatch(/its value ends within/)
    registry.register('orders-value', { schema: JSON.stringify({ ...ORDER_1, doc: 'later' }) }, later)
    await using process = await driver.start(given, '--from-dead-letters')
    await driver.rowsAre(
      tableOf(topic),
      ['{"keys":["id"],"id":1,"item":"desk","price":"1.99"}', '{"keys":["id"],"id":2,"item":"lamp","price":"0.01"}'],
      process,
    )
    await process.ended
  })

  it(
    'waits for a registry that is away: nothing is lost, nothing is a dead letter, and it is ready meanwhile',
    async () => {
      const letters = await driver.topic()
      const topic = await filled(Array.from({ length: 2_000 }, (_, id) => orderOf(BigInt(id))))
      const beside = await driver.filled(['{"id":1}'])
      const group = uniqueName('group')
      const topics = [
        { topic, keys: ['id'], value_encoding: 'registry' },
        { topic: beside, keys: ['id'] },
      ]
      await registry.stop()
      await using process = await driver.start({
        group,
        topics,
        config: config({ dead_letters: { topic: letters }, health: { host: '127.0.0.1', port: 0 } }),
      })
      const health = await healthOf(process)
      // topics that need no schema go on
      await driver.rowsAre(tableOf(beside), ['{"keys":["id"],"id":1}'], process)
      await until(
        async () => String((await health('/readyz')).body['reason']).startsWith('waiting for the schema registry'),
        () => process.toString(),
      )
      await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS))
      expect((await health('/readyz')).status).toBe(200)
      // where it began, at most
      expect([undefined, 0n]).toContain((await driver.client.committed(group, topic))[0])
      await registry.start()
      await driver.committedAre(group, topic, [2_000n], process)
      const ended = await driver.stop(process)
      expect(lastFigures(ended)).toMatchObject({ records: 2_001, rejected: 0 })
      expect(await driver.rows(tableOf(topic))).toHaveLength(2_000)
      expect(await driver.client.read(letters)).toEqual([])
      expect(ended.lines.filter(({ message }) => message.startsWith('Joined the group'))).toHaveLength(1)
    },
    OUTAGE_MS + 120_000,
  )

  it('keeps its place in the group through values of few bytes that would become very much', async () => {
    const wide = (type: string) => Array.from({ length: 200 }, (_, index) => ({ name: `f${index}`, type }))
    const { id: avro } = registry.register('bombs-value', {
      schema: JSON.stringify({
        ...ORDER_1,
        fields: [
          { name: 'id', type: 'long' },
          { name: 'nulls', type: { type: 'array', items: 'null' } },
          { name: 'wide', type: { type: 'array', items: { type: 'record', name: 'Wide', fields: wide('null') } } },
        ],
      }),
    })
    const { id: proto } = registry.register('bombs-proto-value', {
      schema: `syntax = "proto3"; message M { int64 id = 1; repeated N n = 2; } message N { ${wide('int32')
        .map(({ name, type }, index) => `${type} ${name} = ${index + 1};`)
        .join('')} }`,
      schemaType: 'PROTOBUF',
    })
    const bombs = [
      // a million nulls
      framed(avro, Buffer.from('0280897a0000', 'hex')),
      // 9,000 records without a byte
      framed(avro, Buffer.from('0200d08c0100', 'hex')),
      // 4,000 messages without a byte
      framed(proto, Buffer.concat([Buffer.from('000801', 'hex'), Buffer.alloc(8_000, Buffer.from('1200', 'hex'))])),
    ]
    const topic = await driver.topic()
    for (let round = 0; round < 15; round++)
      await driver.client.produce(
        topic,
        Array.from({ length: 30 }, (_, at) => ({ value: bombs[at % bombs.length]! })),
      )
    await driver.client.produce(topic, [{ value: framed(avro, Buffer.from('020000', 'hex')) }])
    const letters = await driver.topic()
    const group = uniqueName('group')
    const topics = [{ topic, keys: ['id'], value_encoding: 'registry' }]
    await using process = await driver.start({ group, topics, config: config({ dead_letters: { topic: letters } }) })
    await driver.committedAre(group, topic, [451n], process)
    await driver.rowsAre(tableOf(topic), ['{"keys":["id"],"id":1,"nulls":[],"wide":[]}'], process)
    const ended = await driver.stop(process)
    expect(lastFigures(ended)).toMatchObject({ records: 451, rejected: 450 })
    expect(ended.lines.filter(({ message }) => message.startsWith('Joined the group'))).toHaveLength(1)
    const kept = await driver.client.read(letters)
    const reasons = kept.map(({ headers }) => String(headers.find(([name]) => name === 'dlq.error')?.[1]))
    expect(reasons.slice(0, 3)).toEqual([
      expect.stringContaining('its value holds more than 10000 items that take no bytes in field "nulls"'),
      expect.stringMatching(
        /its value makes more than 4194304 bytes of JSON \(beyond max_request_bytes\) in field "wide/,
      ),
      expect.stringMatching(/its value makes more than 4194304 bytes of JSON \(beyond max_request_bytes\) in field "n/),
    ])
  })

  it('ends with words when the registry refuses it, offsets committed so far, and never shows the password', async () => {
    const topic = await filled([orderOf(1n)])
    const wrong = await driver.work.file('wrong-password', 'canary-wrong-password')
    const schemaRegistry = { url: registry.url, username: LOGIN.username, password: { file: wrong } }
    const topics = [{ topic, keys: ['id'], value_encoding: 'registry' }]
    await using process = await driver.start({ topics, config: { schema_registry: schemaRegistry } })
    const ended = await driver.endOf(process)
    expect(ended.code).toBe(1)
    expect(ended.lines.find(({ level }) => level === 'error')).toMatchObject({
      kind: 'config',
      message: expect.stringMatching(/schema registry .*401 .*in schema_registry\./),
    })
    expect(ended.stdout).not.toMatch(/canary-/)
  })

  it('--check asks the registry, and looks at records by its schemas', async () => {
    const good = await filled([orderOf(1n)])
    const bad = await filled(['{"id":1}', framed(99_999, Buffer.from([2]))])
    const topics = [good, bad].map((topic) => ({ topic, keys: ['id'], value_encoding: 'registry' }))
    const checked = await driver.endOf(await driver.start({ topics, config: config() }, '--check'))
    expect(checked.code, checked.stdout).toBe(0)
    expect(checked.stdout).toMatch(/The schema registry .* answers\./)
    expect(checked.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /stream would stop at 2 of 2 sampled records, which cannot be stored/,
    )
    await registry.stop()
    const away = await driver.endOf(await driver.start({ topics, config: config() }, '--check'))
    await registry.start()
    expect(away.code).toBe(1)
    expect(away.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /schema registry .* cannot be asked: .* Check host and port in schema_registry\.url/,
    )
    const elsewhere = { schema_registry: { ...(config()['schema_registry'] as object), url: driver.proxy.url } }
    const other = await driver.endOf(await driver.start({ topics, config: elsewhere }, '--check'))
    expect(other.stdout.replaceAll(/\s+/g, ' ')).toMatch(/(?:nothing there answers as|is not) a schema registry/)
  })
  it('--dry-run reads by the schemas, and ends with 1 where the registry does not answer', async () => {
    const topic = await filled([orderOf(1n), orderOf(2n), '{"id":1}'])
    const topics = [{ topic, keys: ['id'], value_encoding: 'registry' }]
    const letters = `${driver.work.path}/${uniqueName('letters')}.jsonl`
    const more = config({ dead_letters: { file: letters }, max_rejected_share: 1, stall_deadline_seconds: 5 })
    const good = await driver.endOf(await driver.start({ topics, config: more }, '--dry-run', '--json'))
    expect(good.code, good.stdout).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ rows: [{ records: 3, rejected: 1 }], tables: [{ rows: 2 }] })
    await registry.stop()
    const away = await driver.endOf(await driver.start({ topics, config: more }, '--dry-run', '--json'))
    await registry.start()
    expect(away.code).toBe(1)
    const { error, warnings } = JSON.parse(away.stdout) as { error: unknown; warnings: readonly string[] }
    const message =
      'The schema registry did not answer for 5 s although records wait. Start it again when the schema registry answers.'
    expect(error).toMatchObject({ code: 'registry.unreachable', message })
    expect(warnings).toContainEqual(expect.stringContaining('schema registry'))
  }, 60_000)
})
