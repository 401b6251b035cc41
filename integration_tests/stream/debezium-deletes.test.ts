// Deletes of Debezium on a real broker: those that come as a tombstone alone, those that nobody can place, and where they are said.

import { expect, it } from 'vitest'
import { streamCheck } from '../../src/commands/stream/stream-check.ts'
import { dryStream } from '../../src/commands/stream/stream.ts'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import { NO_INPUT, ioOf, Said } from '../../src/process/testing/said.ts'
import { uniqueName } from '../kafka/available.ts'
import { describeStream, tableOf, type StreamCase } from './driver.ts'
import { lastFigures } from './stream-process.ts'

describeStream('stream of changes by Debezium', (driver) => {
  /** The warnings of a dry run and of the check. */
  async function warnings(given: StreamCase): Promise<{ dry: readonly string[]; check: string }> {
    const configFile = await driver.config(given)
    const [dry, check] = [new Said(), new Said()]
    await dryStream({ configFile, json: true, mostRecords: undefined }, ioOf(NO_INPUT, dry, dry))
    await streamCheck(configFile, ioOf(NO_INPUT, check, check))
    const { warnings } = JSON.parse(await dry.text()) as DryRun
    return { dry: warnings.filter((text) => /tombstone|the delete/.test(text)), check: await check.text() }
  }

  it.each([
    ['with schemas', (payload: string) => `{"schema":{"type":"struct","fields":[]},"payload":${payload}}`],
    ['without schemas', (payload: string) => payload],
  ])('marks a row whose delete comes as a tombstone alone, %s', async (_how, wrap) => {
    const row = (id: number) => ({ key: wrap(`{"id":${id}}`), value: wrap(`{"id":${id},"v":"a"}`) })
    const topic = await driver.filled([row(1), row(2), { ...row(1), value: null }])
    const group = uniqueName('group')
    const topics = [{ topic, format: 'debezium' }]
    expect(await warnings({ group, topics })).toMatchObject({
      dry: [],
      check: expect.not.stringContaining('tombstone'),
    })
    await using process = await driver.start({ group, topics })
    await driver.rowsAre(
      tableOf(topic),
      ['{"keys":["id"],"id":1,"__deleted":true}', '{"keys":["id"],"id":2,"v":"a"}'],
      process,
    )
    await driver.committedAre(group, topic, [3n], process)
    // the next process knows nothing of what came before
    await driver.stop(process)
    await driver.client.produce(topic, [{ ...row(2), value: null }])
    await using next = await driver.start({ group, topics })
    await driver.committedAre(group, topic, [4n], next)
    expect(lastFigures(await driver.stop(next))).toMatchObject({ records: 1, rows_sent: 1, rejected: 0, ignored: 0 })
    expect(await driver.rows(tableOf(topic))).toContain('{"keys":["id"],"id":2,"__deleted":true}')
  })

  it('leaves out what does not name its row, and says so in the log, the check and the dry run', async () => {
    const gone = '{"op":"d","before":{"id":1},"after":null,"source":{}}'
    const topic = await driver.filled([
      { key: '{"id":1}', value: gone },
      { key: '{"id":1}', value: null },
      { key: '{"no":1}', value: null },
      { key: null, value: null },
    ])
    const group = uniqueName('group')
    const topics = [{ topic, format: 'debezium', keys: ['id'] }]
    const words = `Topic "${topic}": a tombstone does not say which row it means`
    const { dry, check } = await warnings({ group, topics })
    expect(dry).toEqual([expect.stringContaining(words)])
    expect(check.replaceAll(/\s+/g, ' ')).toContain(words)
    await using process = await driver.start({ group, topics })
    await driver.committedAre(group, topic, [4n], process)
    const ended = await driver.stop(process)
    const own = { records: 4, rows_sent: 1, rejected: 0, ignored: 1, tombstones_without_a_row: 2 }
    expect(lastFigures(ended)).toMatchObject(own)
    expect(ended.lines.filter(({ code }) => code === 'record.no-row')).toHaveLength(1)
    expect(await driver.rows(tableOf(topic))).toEqual(['{"keys":["id"],"id":1,"__deleted":true}'])
  })

  it('says which deletes and updates a route by a field cannot place', async () => {
    const source = { schema: 's', table: 't' }
    const change = (op: string, before: object | null, after: object | null) => {
      return { key: '{"id":1}', value: JSON.stringify({ op, before, after, source }) }
    }
    const order = { id: 1, type: 'order' }
    const topic = await driver.filled([
      change('c', null, order),
      change('u', order, { id: 1, type: 'archived' }),
      change('u', { id: 1, type: 'archived' }, { id: 1, type: 'archived' }),
      change('d', { id: 1 }, null),
      change('d', { id: 1, type: null }, null),
    ])
    const [group, orders, letters] = [uniqueName('group'), tableOf(uniqueName('orders')), await driver.topic()]
    const route = { by: { field: 'type' }, tables: { order: { table: orders } }, others: 'ignore' }
    const topics = [{ topic, format: 'debezium', keys: ['id'], route }]
    const config = { dead_letters: { topic: letters } }
    const words =
      'the delete has no text or whole number at "type", which names its table: its source sends no full row images'
    const { dry, check } = await warnings({ group, topics, config })
    expect(dry).toEqual([expect.stringContaining(words)])
    expect(check.replaceAll(/\s+/g, ' ')).toContain(words)
    await using process = await driver.start({ group, topics, config })
    await driver.committedAre(group, topic, [5n], process)
    const ended = await driver.stop(process)
    expect(lastFigures(ended)).toMatchObject({ rows_sent: 1, rejected: 1, ignored: 1, deletes_without_a_table: 2 })
    expect(ended.lines.filter(({ code }) => code === 'record.no-table')).toHaveLength(1)
    expect(await driver.rows(orders)).toEqual(['{"keys":["id"],"id":1,"type":"order"}'])
    const [letter] = await driver.client.read(letters)
    expect(String(letter!.value)).toContain('archived')
    await driver.client.produce(topic, [change('t', null, null)])
    const truncated = await driver.endOf(await driver.start({ group, topics, config }))
    expect([truncated.code, truncated.lines.some(({ code }) => code === 'record.table-truncated')]).toEqual([1, true])
  })
})
