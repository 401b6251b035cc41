// A topic that gets more partitions while `stream` reads it, on a real broker: what lies in them, too before they were
// noticed, arrives from the first offset on.

import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { rowsOf, describeStream, tableOf } from './driver.ts'
import { lastFigures } from './stream-process.ts'
import { until } from '../kafka/until.ts'

const PARTITIONS = 3

describeStream('a topic that grows', (driver, bootstrap) => {
  it('is read whole, its new partitions from their first record', async () => {
    const topic = await driver.topic()
    const group = uniqueName('group')
    const values: string[] = []
    const produce = async (client: KafkaClient, partition: number, count: number): Promise<void> => {
      const records = Array.from({ length: count }, () => {
        const value = `{"id":${values.length},"partition":${partition}}`
        values.push(value)
        return { partition, value }
      })
      await client.produce(topic, records)
    }
    const rows = (): string[] => rowsOf(values)
    await produce(driver.client, 0, 200)
    await using process = await driver.start({ group, topics: [{ topic, keys: ['id'] }] })
    await driver.rowsAre(tableOf(topic), rows(), process)

    await driver.client.admin.createPartitions({ topicPartitions: [{ topic, count: PARTITIONS }] })
    await until(
      async () => (await driver.client.highWatermarks(topic)).length === PARTITIONS,
      () => 'the topic never grew',
    )
    // one that knows of no fewer
    await using client = await KafkaClient.connect(bootstrap)
    for (const partition of [2, 1, 0]) await produce(client, partition, 300)
    await driver.rowsAre(tableOf(topic), rows(), process)
    // and they stay with it
    for (const partition of [0, 1, 2]) await produce(client, partition, 10)
    await driver.rowsAre(tableOf(topic), rows(), process)
    await driver.committedAre(group, topic, [510n, 310n, 310n], process)
    // what was read again for the sharing out is sent again at most; nothing else is
    expect(lastFigures(await driver.stop(process))).toMatchObject({ rejected: 0, ignored: 0 })
  })
})
