// A topic of a pattern that comes while `stream` runs, on a real broker, and whose table was made for a value of another one: the
// process reads on without it, and after a restart the topic has the table.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { describeStream, rowOf, tableOf } from './driver.ts'

describeStream('a topic that comes later', (driver) => {
  it('ends no process by a table that a value has, and has it after a restart', async () => {
    const word = uniqueName('later').toLowerCase()
    const [events, orders, users] = ['events', 'orders', 'users'].map((name) => `${word}.${name}`)
    const [table, group] = [tableOf(orders!), uniqueName('group')]
    const file = join(driver.work.path, `${word}.jsonl`)
    const event = (id: number): string => `{"id":${id},"type":"${table}"}`
    const route = { by: { field: 'type' }, any: { matching: '[a-z0-9_]+', most: 9 }, others: 'ignore' }
    const topics = [
      { topic: events!, keys: ['id'], route },
      { pattern: String.raw`${word}\..*`, keys: ['id'] },
    ]
    const given = { group, topics, kafka: { topic_refresh_seconds: 1 }, config: { dead_letters: { file } } }
    await driver.client.createTopic(events!)
    await driver.client.produce(events!, [event(1)])
    {
      await using process = await driver.start(given)
      await driver.rowsAre(table, [rowOf(event(1))], process)
      await driver.client.createTopic(orders!)
      await driver.client.produce(orders!, ['{"id":2}'])
      await process.said(/^This process does not read the new topic /)
      await driver.client.createTopic(users!)
      await driver.client.produce(users!, ['{"id":3}'])
      await driver.client.produce(events!, [event(4)])
      await driver.rowsAre(tableOf(users!), [rowOf('{"id":3}')], process)
      await driver.rowsAre(table, [rowOf(event(1)), rowOf(event(4))], process)
      await driver.committedAre(group, events!, [2n], process)
      const { code, lines } = await driver.stop(process)
      expect(code).toBe(143)
      const said = lines.filter(({ message }) => message.includes('does not read'))
      expect(said).toMatchObject([
        { level: 'warn', code: 'topic.tables-meet', message: expect.stringContaining(orders!) },
      ])
    }
    await using process = await driver.start(given)
    await driver.rowsAre(table, [rowOf(event(1)), rowOf(event(4)), rowOf('{"id":2}')], process)
    await driver.client.produce(events!, [event(5)])
    await driver.committedAre(group, events!, [3n], process)
    expect(await readFile(file, 'utf8')).toContain('its table is that of another topic')
    await driver.stop(process)
  })
})
