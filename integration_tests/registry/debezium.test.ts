// `stream` on what a connector of Debezium writes in Avro, by schemas that change on the way, also where it is killed while the
// registry is away.

import avsc from 'avsc'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import type { NewRecord } from '../kafka/client.ts'
import { until } from '../kafka/until.ts'
import { startFakeRegistry, type FakeRegistry } from './fake-registry.ts'
import { framed } from './framed.ts'
import { describeStream, tableOf } from '../stream/driver.ts'
import { lastFigures } from '../stream/stream-process.ts'

const MANY = 300

interface Written {
  readonly id: number
  readonly type: avsc.Type
}

type Row = Readonly<Record<string, unknown>> | null

const keySchema = (type: string) => ({
  type: 'record',
  name: 'Key',
  namespace: 'db.public.users',
  fields: [{ name: 'id', type }],
})

/** As the connector for PostgreSQL registers it. @param more fields of the table */
function envelopeSchema(idType: string, more: readonly object[] = []): object {
  const value = {
    type: 'record',
    name: 'Value',
    fields: [
      { name: 'id', type: idType },
      { name: 'name', type: ['null', 'string'], default: null },
      {
        name: 'balance',
        type: ['null', { type: 'bytes', logicalType: 'decimal', precision: 10, scale: 2 }],
        default: null,
      },
      ...more,
    ],
    'connect.name': 'db.public.users.Value',
  }
  const source = {
    type: 'record',
    name: 'Source',
    namespace: 'io.debezium.connector.postgresql',
    fields: [
      { name: 'db', type: 'string' },
      { name: 'table', type: 'string' },
      { name: 'lsn', type: ['null', 'long'], default: null },
    ],
  }
  return {
    type: 'record',
    name: 'Envelope',
    namespace: 'db.public.users',
    fields: [
      { name: 'before', type: ['null', value], default: null },
      { name: 'after', type: ['null', 'Value'], default: null },
      { name: 'source', type: source },
      { name: 'op', type: 'string' },
      { name: 'ts_ms', type: ['null', 'long'], default: null },
    ],
    'connect.name': 'db.public.users.Envelope',
  }
}

describeStream('stream with what Debezium writes in Avro', (driver) => {
  let registry: FakeRegistry
  beforeAll(async () => {
    registry = await startFakeRegistry()
  })
  afterAll(() => registry[Symbol.asyncDispose]())

  const register = (subject: string, schema: unknown): Written => ({
    id: registry.register(subject, { schema: JSON.stringify(schema) }).id,
    type: avsc.Type.forSchema(schema as avsc.Schema, { wrapUnions: false }),
  })
  const written = ({ id, type }: Written, value: unknown): Buffer => framed(id, type.toBuffer(value))
  const filled = async (records: readonly NewRecord[]): Promise<string> => driver.filled(records)
  const config = (letters?: string) => ({
    schema_registry: { url: registry.url },
    ...(letters === undefined ? {} : { dead_letters: { topic: letters } }),
  })
  const topicOf = (topic: string) => ({
    topic,
    format: 'debezium',
    value_encoding: 'registry',
    key_encoding: 'registry',
  })

  /** One table's changes, by the schemas there are for now. */
  const changes = (key: Written, envelope: Written) => {
    const full = (row: Row): Row => row && { name: null, balance: null, ...row }
    const of = (op: string, id: unknown, before: Row, after: Row): NewRecord => ({
      key: written(key, { id }),
      value: written(envelope, {
        before: full(before),
        after: full(after),
        source: { db: 'db', table: 'users', lsn: 1 },
        op,
        ts_ms: 1,
      }),
    })
    return {
      put: (op: 'c' | 'u' | 'r', row: NonNullable<Row>) => of(op, row['id'], null, row),
      gone: (row: NonNullable<Row>): NewRecord[] => [
        of('d', row['id'], row, null),
        { key: written(key, { id: row['id'] }), value: null },
      ],
    }
  }

  it('makes rows of snapshots, inserts, updates, deletes and changes of a key', async () => {
    const table = changes(register('users-key', keySchema('int')), register('users-value', envelopeSchema('int')))
    const topic = await filled([
      table.put('r', { id: 1, name: 'a' }),
      table.put('c', { id: 2, name: 'b', balance: Buffer.from([0x30, 0x39]) }),
      table.put('u', { id: 1, name: 'é"' }),
      table.put('c', { id: 3, name: 'c' }),
      ...table.gone({ id: 3 }),
      // the primary key of 2 becomes 4
      ...table.gone({ id: 2 }),
      table.put('c', { id: 4, name: 'b', balance: Buffer.from([0xff]) }),
    ])
    const group = uniqueName('group')
    await using process = await driver.start({ group, topics: [topicOf(topic)], config: config() })
    await driver.committedAre(group, topic, [9n], process)
    expect(lastFigures(await driver.stop(process))).toMatchObject({ records: 9, rejected: 0 })
    expect(await driver.rows(tableOf(topic))).toEqual([
      '{"keys":["id"],"id":1,"name":"é\\"","balance":null}',
      '{"keys":["id"],"id":2,"__deleted":true}',
      '{"keys":["id"],"id":3,"__deleted":true}',
      '{"keys":["id"],"id":4,"name":"b","balance":"-0.01"}',
    ])
  })

  it('goes on with the same row when its key becomes a long, and with another when it becomes a text', async () => {
    const [int, long, text] = ['int', 'long', 'string'].map((type) =>
      changes(register(`typed-${type}-key`, keySchema(type)), register(`typed-${type}-value`, envelopeSchema(type))),
    )
    const topic = await filled([
      int!.put('c', { id: 7, name: 'int' }),
      int!.put('c', { id: 8, name: 'int' }),
      long!.put('u', { id: 7, name: 'long' }),
      ...long!.gone({ id: 8 }),
      text!.put('u', { id: '7', name: 'text' }),
    ])
    const group = uniqueName('group')
    await using process = await driver.start({ group, topics: [topicOf(topic)], config: config() })
    await driver.committedAre(group, topic, [6n], process)
    await driver.stop(process)
    expect(await driver.rows(tableOf(topic))).toEqual([
      '{"keys":["id"],"id":"7","name":"text","balance":null}',
      '{"keys":["id"],"id":7,"name":"long","balance":null}',
      '{"keys":["id"],"id":8,"__deleted":true}',
    ])
  })

  it('reads a batch whose records are each of another schema', async () => {
    const key = register('many-key', keySchema('int'))
    const records = Array.from({ length: MANY }, (_, id) => {
      const envelope = register('many-value', envelopeSchema('int', [{ name: `f${id}`, type: 'int', default: id }]))
      return changes(key, envelope).put('c', { id, [`f${id}`]: id })
    })
    const before = registry.paths.length
    const topic = await filled([...records, ...records])
    const group = uniqueName('group')
    await using process = await driver.start({ group, topics: [topicOf(topic)], config: config() })
    await driver.committedAre(group, topic, [BigInt(2 * MANY)], process)
    await driver.stop(process)
    const rows = Array.from(
      { length: MANY },
      (_, id) => `{"keys":["id"],"id":${id},"name":null,"balance":null,"f${id}":${id}}`,
    )
    expect(await driver.rows(tableOf(topic))).toEqual(rows.toSorted())
    // each once
    expect(registry.paths.slice(before)).toHaveLength(MANY + 1)
  })

  it('killed while the registry is away, begins where it was, with no dead letter', async () => {
    const key = register('killed-key', keySchema('int'))
    const old = changes(key, register('killed-value', envelopeSchema('int')))
    const young = changes(
      key,
      register('killed-value', envelopeSchema('int', [{ name: 'more', type: 'int', default: 0 }])),
    )
    const letters = await driver.topic()
    const topic = await filled(Array.from({ length: 50 }, (_, id) => old.put('c', { id })))
    const given = { group: uniqueName('group'), topics: [topicOf(topic)], config: config(letters) }
    {
      await using process = await driver.start(given)
      await driver.committedAre(given.group, topic, [50n], process)
      await registry.stop()
      const more = Array.from({ length: 50 }, (_, at) => young.put('u', { id: at + 25, more: at }))
      await driver.client.produce(topic, [...more, ...old.gone({ id: 0 })])
      await until(
        () => process.toString().includes('The schema registry'),
        () => process.toString(),
      )
      process.send('SIGKILL')
      await process.ended
    }
    expect(await driver.client.committed(given.group, topic)).toEqual([50n])
    {
      // once more, away from the beginning
      await using process = await driver.start(given)
      await until(
        () => process.toString().includes('The schema registry'),
        () => process.toString(),
      )
      process.send('SIGKILL')
      await process.ended
    }
    await registry.start()
    await using process = await driver.start(given)
    await driver.committedAre(given.group, topic, [102n], process)
    await driver.stop(process)
    expect(await driver.client.read(letters)).toEqual([])
    const rows = await driver.rows(tableOf(topic))
    expect(rows).toHaveLength(75)
    expect(rows).toContain('{"keys":["id"],"id":0,"__deleted":true}')
    expect(rows).toContain('{"keys":["id"],"id":1,"name":null,"balance":null}')
    expect(rows).toContain('{"keys":["id"],"id":74,"name":null,"balance":null,"more":49}')
  })
})
