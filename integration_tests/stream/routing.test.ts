// What `stream` does, as a process on a real broker, with topics of several tables: each record goes to the table that it names,
// whatever becomes of the others.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { rowOf, describeStream } from './driver.ts'
import { Scraper } from './scraper.ts'
import { lastFigures } from './stream-process.ts'

const order = (id: number, type = 'order'): string => `{"type":"${type}","id":${id}}`

describeStream('stream of a topic with several tables', (driver) => {
  /** Names of this case alone: all share one service. */
  const tableNames = (...words: readonly string[]): readonly string[] => {
    const name = uniqueName('t').replaceAll(/[^A-Za-z0-9_]/g, '_')
    return words.map((word) => `${name}_${word}`)
  }
  const letterFile = () => join(driver.work.path, `${uniqueName('letters')}.jsonl`)
  const lettersIn = async (file: string) =>
    (await readFile(file, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

  it('goes by a field: listed ones to their tables, others to the dead letters, which name value and table', async () => {
    const [orders, refunds] = tableNames('orders', 'refunds')
    const group = uniqueName('group')
    const refund = '{"no":1,"type":7,"order_id":1}'
    const topic = await driver.filled([
      { value: order(1) },
      { value: refund },
      { value: order(2, 'unheard-of') },
      { value: '{"id":3}' },
      { value: '{"type":"order"}' },
      { value: order(4, 'purchase') },
    ])
    const file = letterFile()
    const tables = {
      order: { table: orders },
      purchase: { table: orders },
      7: { table: refunds, keys: ['order_id', 'no'] },
    }
    const route = { by: { field: 'type' }, tables, others: 'dead-letter' }
    const given = { group, topics: [{ topic, keys: ['id'], route }], config: { dead_letters: { file } } }
    {
      await using process = await driver.start(given)
      await driver.rowsAre(orders!, [rowOf(order(1)), rowOf(order(4, 'purchase'))], process)
      await driver.rowsAre(refunds!, [rowOf(refund, ['order_id', 'no'])], process)
      await driver.committedAre(group, topic, [6n], process)
      const ended = await driver.stop(process)
      expect(lastFigures(ended)).toMatchObject({ records: 6, rejected: 3, ignored: 0 })
      expect(ended.stdout).not.toContain('unheard-of')
    }
    const kept = await lettersIn(file)
    expect(kept.map(({ offset, route: value, table }) => [offset, value, table])).toEqual([
      ['2', 'unheard-of', undefined],
      ['3', undefined, undefined],
      ['4', 'order', orders],
    ])
    // by the config of today one of them has a table
    const more = { ...route, tables: { ...tables, 'unheard-of': { table: refunds, keys: ['id'] } }, others: 'ignore' }
    await using replay = await driver.start(
      { ...given, topics: [{ topic, keys: ['id'], route: more }] },
      '--from-dead-letters',
    )
    expect((await driver.endOf(replay)).code, replay.toString()).toBe(0)
    await driver.rowsAre(refunds!, [rowOf(refund, ['order_id', 'no']), rowOf(order(2, 'unheard-of'))])
  })

  it('goes by a header, the last one of its name, tombstones too', async () => {
    const [orders, users] = tableNames('orders', 'users')
    const group = uniqueName('group')
    const under = (key: string, value: string | null, ...kinds: readonly string[]) => ({
      key,
      value,
      headers: kinds.map((kind) => ['kind', kind] as const),
    })
    const topic = await driver.filled([
      under('{"id":1}', '{"a":1}', 'user', 'order'),
      under('{"id":1}', '{"a":2}', 'user'),
      under('{"id":2}', null, 'order'),
      under('{"id":3}', '{"a":3}'),
    ])
    const tables = { order: { table: orders, tombstones: 'mark' }, user: { table: users } }
    const route = { by: { header: 'kind' }, tables, others: 'ignore' }
    await using process = await driver.start({ group, topics: [{ topic, keys: { key: true }, route }] })
    await driver.committedAre(group, topic, [4n], process)
    await driver.rowsAre(orders!, ['{"keys":["id"],"id":1,"a":1}', '{"keys":["id"],"id":2,"__deleted":true}'], process)
    await driver.rowsAre(users!, ['{"keys":["id"],"id":1,"a":2}'], process)
  })

  it('goes by the streams of Airbyte messages, and tells of each row where it came from', async () => {
    const names = ['orders', 'shop.items']
    const tables = tableNames('orders', 'items')
    const group = uniqueName('group')
    const message = (name: string, id: number): string => {
      const [stream, namespace] = name.split('.').toReversed()
      return JSON.stringify({ type: 'RECORD', record: { stream, namespace, data: { id, of: name }, emitted_at: 1 } })
    }
    const values = [...[1, 2].flatMap((id) => names.map((name) => message(name, id))), '{"type":"STATE","state":{}}']
    const topic = await driver.filled(values)
    const route = {
      by: { stream: true },
      tables: Object.fromEntries(names.map((name, at) => [name, { table: tables[at] }])),
    }
    const config = { metadata_columns: ['_kafka_topic', '_kafka_offset', '_loaded_at', '_run_id'] }
    const topics = [{ topic, format: 'airbyte', keys: ['id'], route }]
    await using process = await driver.start({ group, topics, config })
    await driver.committedAre(group, topic, [5n], process)
    expect(lastFigures(await driver.stop(process))).toMatchObject({ records: 5, ignored: 1 })
    const told = `"_kafka_topic":"${topic}","_kafka_offset":N,"_loaded_at":"T","_run_id":"U"`
    const inTable = async (at: number): Promise<string[]> =>
      (await driver.rows(tables[at]!)).map((row) =>
        row
          .replace(`:${2 * Number(/"id":(\d)/.exec(row)![1]) - 2 + at},"_loaded_at`, ':N,"_loaded_at')
          .replace(/"\d{4}-[^"]*Z"/, '"T"')
          .replace(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/, '"U"'),
      )
    for (const [at, name] of names.entries())
      expect(await inTable(at)).toEqual([1, 2].map((id) => `{"keys":["id"],${told},"id":${id},"of":"${name}"}`))
  })

  it('goes on with other tables while the service refuses one, and makes tables up to the bound', async () => {
    const prefix = `${uniqueName('p').replaceAll(/[^A-Za-z0-9_]/g, '_')}_`
    const group = uniqueName('group')
    const types = ['a', 'poison', 'b', 'c', 'Not_Plain', 'a']
    const topic = await driver.filled(types.map((type, id) => ({ value: order(id, type) })))
    await driver.fault({ table: `${prefix}poison`, every: 1, answer: { status: 400, body: '{"message":"no"}' } })
    const file = letterFile()
    const any = { matching: '[a-z0-9_]+', most: 3 }
    const route = { by: { field: '/type' }, any, others: 'dead-letter' }
    const config = { table_prefix: prefix, dead_letters: { file }, health: { host: '127.0.0.1', port: 0 } }
    await using process = await driver.start({ group, topics: [{ topic, keys: ['id'], route }], config })
    const scraper = await Scraper.of(process)
    await driver.rowsAre(`${prefix}a`, [rowOf(order(0, 'a')), rowOf(order(5, 'a'))], process)
    await driver.rowsAre(`${prefix}b`, [rowOf(order(2, 'b'))], process)
    await driver.committedAre(group, topic, [6n], process)
    await scraper.scrape()
    const settled = (of: object) => scraper.of('settled_records_total', { topic, ...of })
    const became = ['a', 'poison', 'b'].map((value) =>
      ['written', 'rejected'].map((result) => settled({ table: `${prefix}${value}`, result })),
    )
    expect(became).toEqual([
      [2, 0],
      [0, 1],
      [1, 0],
    ])
    expect([settled({ result: 'written' }), settled({ result: 'rejected' })]).toEqual([0, 2])
    const ended = await driver.stop(process)
    const kept = (await lettersIn(file)).map(({ route: value, reason, table }) => [value, [reason, table]])
    expect(Object.fromEntries(kept)).toEqual({
      Not_Plain: ['rejected', undefined],
      c: ['rejected', undefined],
      poison: ['refused', `${prefix}poison`],
    })
    const { topics } = lastFigures(ended) as unknown as { topics: Readonly<Record<string, unknown>>[] }
    expect(topics.map(({ table, records, rows_sent: rows, rejected }) => [table, records, rows, rejected])).toEqual([
      [null, 2, undefined, 2],
      [`${prefix}a`, 2, 2, 0],
      [`${prefix}poison`, 1, 0, 1],
      [`${prefix}b`, 1, 1, 0],
    ])
  })

  it('ends the run when too many records of one table are rejected, not of all together', async () => {
    const [orders, refunds] = tableNames('orders', 'refunds')
    const bad = (type: string) => ({ value: `{"type":"${type}"}` })
    const first = [bad('order'), bad('order'), bad('x'), { value: order(1) }]
    const refundsOf = [bad('refund'), { value: order(2, 'refund') }, bad('refund'), bad('x'), bad('refund')]
    const topic = await driver.filled(first.concat(refundsOf, { value: order(3) }))
    const tables = { order: { table: orders }, refund: { table: refunds } }
    const route = { by: { field: 'type' }, tables, others: 'dead-letter' }
    const config = { dead_letters: { file: letterFile() }, max_rejected: 2 }
    await using process = await driver.start({ topics: [{ topic, keys: ['id'], route }], config })
    const ended = await driver.endOf(process)
    expect(ended.code, process.toString()).toBe(1)
    const which = `topic "${topic}", table "${refunds}", are rejected: 3 of 4 received, and max_rejected is 2.`
    expect(ended.stdout).toContain(JSON.stringify(`Too many records of ${which}`).slice(1, -1))
    expect(ended.stdout).toContain('(3 records; one of them: topic')
    expect(await driver.rows(orders!)).toContain(rowOf(order(1)))
  })

  it('stops at the first of others, and --check shows which values have no table', async () => {
    const [orders] = tableNames('orders')
    const group = uniqueName('group')
    const topic = await driver.filled([{ value: order(1) }, { value: order(2, 'unheard-of') }, { value: order(3) }])
    const given = {
      group,
      topics: [{ topic, keys: ['id'], route: { by: { field: 'type' }, tables: { order: { table: orders } } } }],
    }
    await using check = await driver.start(given, '--check')
    const checked = await driver.endOf(check)
    expect(checked.stdout).toContain('its route has no table for "unheard-of" (1 record)')
    await using process = await driver.start(given)
    const ended = await driver.endOf(process)
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('offset 1: its text or whole number at')
    expect(ended.stdout).not.toContain('unheard-of')
    await driver.rowsAre(orders!, [rowOf(order(1))])
    expect(await driver.client.committed(group, topic)).toEqual([1n])
  })
})
