// A topic that is deleted while `stream` reads it, on a real broker: made anew all of the new one arrives; gone for good it
// holds up no others of its pattern.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeKafka, uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { rowOf, StreamDriver, tableOf } from './driver.ts'

describeKafka('a topic that is deleted', (bootstrap) => {
  let driver: StreamDriver
  beforeAll(async () => {
    driver = await StreamDriver.open(bootstrap)
  })
  afterAll(async () => {
    await driver[Symbol.asyncDispose]()
  })

  const valuesFrom = (first: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `{"id":${first + index}}`)

  it('of a pattern is left, however seldom topics are looked for, and the others are read on', async () => {
    const word = uniqueName('shop')
    const [kept, gone] = [`${word}.kept`, `${word}.gone`]
    // one that has asked about a topic fails with everything once that is gone
    await using client = await KafkaClient.connect(bootstrap)
    for (const topic of [kept, gone]) await client.createTopic(topic)
    for (const topic of [kept, gone]) await client.produce(topic, [{ value: '{"id":1}' }])
    const topics = [{ pattern: String.raw`${word}\..*`, keys: ['id'] }]
    await using process = await driver.start({ topics, kafka: { topic_refresh_seconds: 3600 } })
    for (const topic of [kept, gone]) await driver.rowsAre(tableOf(topic), [rowOf('{"id":1}')], process)

    await client.deleteTopic(gone)
    await process.said(/^Topics are gone: /)
    await client.produce(kept, [{ value: '{"id":2}' }])
    await driver.rowsAre(
      tableOf(kept),
      ['{"id":1}', '{"id":2}'].map((value) => rowOf(value)),
      process,
    )
    await driver.stop(process)
  })

  describe.each(['topic', 'pattern'])('made anew, named by its %s', (by) => {
    it('is read from its first record, though the old one was read further', async () => {
      const topic = await driver.topic()
      const group = uniqueName('group')
      const old = valuesFrom(1, 3)
      await driver.client.produce(
        topic,
        old.map((value) => ({ value })),
      )
      await using process = await driver.start({ group, topics: [{ [by]: topic, keys: ['id'] }] })
      await driver.committedAre(group, topic, [3n], process)

      await driver.client.deleteTopic(topic)
      // created before anything of it was fetched again, nobody could tell: the documented exception
      await process.said(/do not know partition 0 of topic /)
      await driver.client.createTopic(topic)
      // more than the old one held: its offset is no sign of anything
      const values = valuesFrom(100, 10)
      await driver.client.produce(
        topic,
        values.map((value) => ({ value })),
      )
      const rows = [...old, ...values].map((value) => rowOf(value))
      await driver.rowsAre(tableOf(topic), rows, process)
      await driver.committedAre(group, topic, [10n], process)
      const { stdout } = await driver.stop(process)
      expect(stdout).toContain(`the brokers do not know partition 0 of topic ${topic} any more`)
    })
  })
})
