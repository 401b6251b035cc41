// The lag that `stream` tells, on a real broker: what is not settled, up to the end of each partition as it is now, also where
// nothing is fetched.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { HELD_REASONS } from '../../src/run/run-facts.ts'
import { uniqueName } from '../kafka/available.ts'
import { describeStream } from './driver.ts'
import { Scraper } from './scraper.ts'
import { lastFigures } from './stream-process.ts'

const PARTITIONS = 3
/** Of deploy/prometheus-alerts.yaml: more than that many records wait. */
const ALERT_AT = 100_000

describeStream('lag', (driver) => {
  beforeEach(() => {
    driver.proxy.way = 'open'
  })

  /** As `kafka-consumer-groups` counts. */
  async function lagsOf(group: string, topic: string): Promise<number[]> {
    const [ends, committed] = await Promise.all([
      driver.client.highWatermarks(topic),
      driver.client.committed(group, topic),
    ])
    return ends.map((end, partition) => Number(end - (committed[partition] ?? 0n)))
  }

  async function fill(topic: string, count: number): Promise<void> {
    const records = Array.from({ length: count }, (_, id) => ({ partition: id % PARTITIONS, value: `{"id":${id}}` }))
    await driver.client.produce(topic, records)
  }

  const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

  it('grows in an outage as the topic does, in metrics, log and report', async () => {
    const topic = await driver.topic(PARTITIONS)
    const group = uniqueName('group')
    const report = join(driver.work.path, 'lag.html')
    const given = {
      group,
      topics: [{ topic, keys: ['id'] }],
      config: { health: { host: '127.0.0.1', port: 0 } },
    }
    await using process = driver.command(['--config', await driver.config(given), '--report', report])
    const scraper = await Scraper.of(process)
    const labelsOf = (partition: number): object => ({ topic, partition: `${partition}` })
    const isTold = (lags: readonly number[]): boolean =>
      scraper.of('assigned_partitions') === PARTITIONS &&
      lags.every((lag, partition) => scraper.of('consumer_lag_records', labelsOf(partition)) === lag)
    await fill(topic, 300)
    await driver.committedAre(group, topic, [100n, 100n, 100n], process)
    await scraper.until(() => isTold([0, 0, 0]))

    driver.proxy.way = 'cut'
    await fill(topic, 30_000)
    await scraper.until((it) => it.of('paused_partitions') === PARTITIONS)
    expect(scraper.of('topic_paused_partitions', { topic, reason: 'outage' })).toBe(PARTITIONS)
    const pauses = HELD_REASONS.map((reason) => scraper.of('pauses_total', { topic, reason }))
    expect(sumOf(pauses)).toBeGreaterThanOrEqual(PARTITIONS)
    await fill(topic, ALERT_AT)
    const lags = await lagsOf(group, topic)
    expect(sumOf(lags)).toBe(30_000 + ALERT_AT)
    await scraper.until(() => isTold(lags))
    const ended = await driver.stop(process)
    expect(lastFigures(ended)['lag']).toBe(sumOf(lags))
    expect(lastFigures(ended)['topics']).toMatchObject([{ topic, lag: sumOf(lags) }])
    const page = await readFile(report, 'utf8')
    expect(page).toMatch(/<th[^>]*>Lag</)
    expect(page).toContain('>130,000<')
  })

  it('has the records of a transaction that nobody ends', async () => {
    const topic = await driver.topic()
    const group = uniqueName('group')
    await using process = await driver.start({
      group,
      topics: [{ topic, keys: ['id'] }],
      config: { health: { host: '127.0.0.1', port: 0 } },
    })
    const scraper = await Scraper.of(process)
    const labels = { topic, partition: '0' }
    await driver.client.produce(topic, ['{"id":0}'])
    await driver.committedAre(group, topic, [1n], process)
    await scraper.until((it) => it.of('consumer_lag_records', labels) === 0)
    const producer = driver.client.kafka.producer({
      transactionalId: uniqueName('transaction'),
      idempotent: true,
      maxInFlightRequests: 1,
    })
    await producer.connect()
    try {
      const transaction = await producer.transaction()
      const messages = Array.from({ length: 50 }, (_, id) => ({ value: `{"id":${id}}` }))
      await transaction.send({ topic, messages })
      await scraper.until((it) => it.of('consumer_lag_records', labels) === 50)
      await transaction.commit()
      await scraper.until((it) => it.of('consumer_lag_records', labels) === 0)
      // and the marker behind them
      await driver.committedAre(group, topic, [52n], process)
    } finally {
      await producer.disconnect()
    }
    await driver.stop(process)
  })
})
