// `stream` as a process on a real broker and a real registry: records of several schemas on one topic, each to the table of its
// schema's name.

import avsc from 'avsc'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dryStream } from '../../src/commands/stream/stream.ts'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'
import { uniqueName } from '../kafka/available.ts'
import { StreamDriver } from '../stream/driver.ts'
import { lastFigures } from '../stream/stream-process.ts'
import type { Apicurio } from './apicurio.ts'
import { describeApicurio } from './available.ts'

const record = (name: string, ...fields: readonly object[]) => ({
  type: 'record',
  name,
  namespace: 'shop',
  fields: [{ name: 'id', type: 'int' }, ...fields],
})
const ORDER = record('Order', { name: 'total', type: 'int' })
const REFUND = record('Refund', { name: 'no', type: 'int' })
/** A later version of the same record. */
const WIDER = record('Order', { name: 'total', type: 'int' }, { name: 'note', type: 'string', default: '' })
const VISIT = 'syntax = "proto3"; package shop; message Visit { int32 id = 1; }'

await describeApicurio('stream of several schemas on one topic', (bootstrap, startApicurio) => {
  let driver: StreamDriver
  let registry: Apicurio
  beforeAll(async () => {
    driver = await StreamDriver.open(bootstrap)
    registry = await startApicurio()
  }, 120_000)
  afterAll(async () => {
    await registry[Symbol.asyncDispose]()
    await driver[Symbol.asyncDispose]()
  })

  /** @returns what writes a value by the schema, in the registry's framing */
  const registered = async (subject: string, schema: object) => {
    const id = await registry.register(subject, { schema: JSON.stringify(schema) })
    const type = avsc.Type.forSchema(schema as avsc.Schema)
    return (value: object): Buffer => framed(id, type.toBuffer(value))
  }

  it('takes each to its table, by whichever version it is written, and those that it does not list to the dead letters', async () => {
    const order = await registered('shop.events-shop.Order', ORDER)
    const refund = await registered('shop.events-shop.Refund', REFUND)
    const wider = await registered('shop.events-shop.Order', WIDER)
    const session = await registered('shop.events-shop.Session', record('Session'))
    const visit = await registry.register('shop.events-shop.Visit', { schema: VISIT, schemaType: 'PROTOBUF' })
    const values = [
      order({ id: 1, total: 5 }),
      refund({ id: 1, no: 1 }),
      wider({ id: 2, total: 6, note: 'n' }),
      session({ id: 1 }),
      framed(visit, Buffer.from([0, 8, 7])),
      Buffer.from('no schema at all'),
      refund({ id: 1, no: 2 }),
    ]
    const topic = await driver.filled(values)
    const letters = await driver.topic(1, 'letters')
    const name = uniqueName('t').replaceAll(/[^A-Za-z0-9_]/g, '_')
    const tables = {
      'shop.Order': { table: `${name}_orders` },
      'shop.Refund': { table: `${name}_refunds`, keys: ['id', 'no'] },
      'shop.Visit': { table: `${name}_visits` },
    }
    const route = { by: { schema: 'name' }, tables, others: 'dead-letter' }
    const group = uniqueName('group')
    const given = {
      group,
      topics: [{ topic, keys: ['id'], value_encoding: 'registry', route }],
      config: { schema_registry: { url: registry.url }, dead_letters: { topic: letters } },
    }
    const said = new Said()
    const dryRun = { configFile: await driver.config(given), json: true, mostRecords: undefined }
    expect(await dryStream(dryRun, ioOf(NO_INPUT, said, said))).toBe(0)
    const { rows, tables: foretold, rejected } = JSON.parse(await said.text()) as DryRun
    expect(Object.fromEntries(foretold.map(({ table, rows }) => [table, rows]))).toEqual({
      [`${name}_orders`]: 2,
      [`${name}_refunds`]: 2,
      [`${name}_visits`]: 1,
    })
    expect(rows.reduce((sum, { records }) => sum + records, 0)).toBe(7)
    expect(rejected.reduce((sum, { records }) => sum + records, 0)).toBe(2)
    await using process = await driver.start(given)
    await driver.committedAre(group, topic, [7n], process)
    const ended = await driver.stop(process)
    expect(lastFigures(ended)).toMatchObject({ records: 7, rejected: 2, ignored: 0 })
    expect(ended.stdout).not.toContain('Session')
    expect(await driver.rows(`${name}_orders`)).toEqual([
      '{"keys":["id"],"id":1,"total":5}',
      '{"keys":["id"],"id":2,"total":6,"note":"n"}',
    ])
    expect(await driver.rows(`${name}_refunds`)).toEqual([
      '{"keys":["id","no"],"id":1,"no":1}',
      '{"keys":["id","no"],"id":1,"no":2}',
    ])
    expect(await driver.rows(`${name}_visits`)).toEqual(['{"keys":["id"],"id":7}'])
    // what could not be read has no value, least of all that of the record before
    const routes = (await driver.client.read(letters)).map(({ headers }) =>
      headers.find(([header]) => header === 'dlq.route')?.[1]?.toString(),
    )
    expect(routes).toEqual(['shop.Session', undefined])
  })
})

function framed(id: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(id, 1)
  return Buffer.concat([head, payload])
}
