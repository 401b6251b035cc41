// A topic that is deleted while `stream` reads it, on a real broker: made anew all of the new one arrives; gone for good it
// holds up no others of its pattern.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { until } from '../kafka/until.ts'
import { rowOf, rowsOf, describeStream, tableOf } from './driver.ts'
import { Scraper } from './scraper.ts'
import type { StreamProcess } from './stream-process.ts'

describeStream('a topic that is deleted', (driver, bootstrap) => {
  const valuesFrom = (first: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `{"id":${first + index}}`)

  it('of a pattern is left, however seldom topics are looked for, and the others are read on', async () => {
    const word = uniqueName('shop')
    const [kept, gone] = [`${word}.kept`, `${word}.gone`]
    // one that has asked about a topic fails with everything once that is gone
    await using client = await KafkaClient.connect(bootstrap)
    for (const topic of [kept, gone]) await client.createTopic(topic)
    for (const topic of [kept, gone]) await client.produce(topic, ['{"id":1}'])
    const topics = [{ pattern: String.raw`${word}\..*`, keys: ['id'] }]
    await using process = await driver.start({ topics, kafka: { topic_refresh_seconds: 3600 } })
    for (const topic of [kept, gone]) await driver.rowsAre(tableOf(topic), [rowOf('{"id":1}')], process)

    await client.deleteTopic(gone)
    await process.said(/^Topics are gone: /)
    await client.produce(kept, ['{"id":2}'])
    await driver.rowsAre(tableOf(kept), rowsOf(['{"id":1}', '{"id":2}']), process)
    await driver.stop(process)
  })

  /** Deletes and creates the topic while the service is away and its partition held, with more records than the old one had. */
  async function heldAndMadeAnew(out_of_range: string) {
    const topic = await driver.topic()
    const group = uniqueName('group')
    await driver.client.produce(topic, ['{"id":-1}'])
    const config = { buffer_bytes: 65_536, health: { port: 0, host: '127.0.0.1' } }
    const given = { group, topics: [{ topic, keys: ['id'], out_of_range }], config }
    const process = await driver.start(given)
    const scraper = await Scraper.of(process)
    await driver.committedAre(group, topic, [1n], process)
    driver.proxy.way = 'cut'
    const pad = 'p'.repeat(3000)
    const old = Array.from({ length: 3000 }, (_, id) => `{"id":${-2 - id},"pad":"${pad}"}`)
    for (let from = 0; from < old.length; from += 250) await driver.client.produce(topic, old.slice(from, from + 250))
    await scraper.until((it) => it.of('paused_partitions') === 1)
    // the fetch that was under way is answered
    await sleep(1000)
    // one that has asked about a topic fails with everything while that is gone
    await using client = await KafkaClient.connect(bootstrap)
    await client.recreateTopic(topic)
    const anew = valuesFrom(1, old.length + 1000)
    await client.produce(topic, anew)
    await process.said(/was deleted and created again/)
    driver.proxy.way = 'open'
    return { topic, group, given, process, anew: rowsOf(anew) }
  }

  const comeOf = async (topic: string, wanted: readonly string[], process: StreamProcess): Promise<void> =>
    until(
      async () => {
        const rows = new Set(await driver.rows(tableOf(topic)))
        return wanted.every((row) => rows.has(row))
      },
      () => `rows are missing:\n${process.toString()}`,
    )

  it('and made anew while its partition is held, is read from its first record where `out_of_range` says so', async () => {
    const { topic, group, process, anew } = await heldAndMadeAnew('earliest')
    await using _ = process
    await comeOf(topic, anew, process)
    await driver.committedAre(group, topic, [BigInt(anew.length)], process)
    const { lines } = await driver.stop(process)
    expect(lines.filter(({ message }) => message.includes('created again'))).toMatchObject([
      {
        level: 'warn',
        event: 'topic.offset-reset',
        message: expect.stringMatching(/As `out_of_range` says, reading continues at offset 0\.$/),
      },
    ])
  })

  it('and made anew while its partition is held, ends the run by default, and is then read from `start`', async () => {
    const { topic, group, given, process, anew } = await heldAndMadeAnew('stop')
    await using _ = process
    const { code, lines } = await driver.endOf(process)
    expect(code).toBe(1)
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { kind: 'config', message: expect.stringMatching(/deleted and created again.*`out_of_range`/) },
    ])
    expect(await driver.client.committed(group, topic)).toEqual([undefined])
    await using next = await driver.start(given)
    await comeOf(topic, anew, next)
    await driver.committedAre(group, topic, [BigInt(anew.length)], next)
    await driver.stop(next)
  })

  describe.each(['topic', 'pattern'])('made anew, named by its %s', (by) => {
    it('is read from its first record, though the old one was read further', async () => {
      const topic = await driver.topic()
      const group = uniqueName('group')
      const old = valuesFrom(1, 3)
      await driver.client.produce(topic, old)
      await using process = await driver.start({ group, topics: [{ [by]: topic, keys: ['id'] }] })
      await driver.committedAre(group, topic, [3n], process)

      await driver.client.deleteTopic(topic)
      // created before anything of it was fetched again, nobody could tell: the documented exception
      await process.said(/do not know partition 0 of topic /)
      await driver.client.createTopic(topic)
      // more than the old one held: its offset is no sign of anything
      const values = valuesFrom(100, 10)
      await driver.client.produce(topic, values)
      const rows = rowsOf([...old, ...values])
      await driver.rowsAre(tableOf(topic), rows, process)
      await driver.committedAre(group, topic, [10n], process)
      const { stdout } = await driver.stop(process)
      expect(stdout).toContain(`the brokers do not know partition 0 of topic ${topic} any more`)
    })
  })
})
