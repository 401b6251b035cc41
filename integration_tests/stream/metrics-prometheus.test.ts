// /metrics of `stream` as a process on a real broker: after known records it tells known figures, also when another member
// takes partitions over; promtool finds nothing to complain of.

import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import type { NewRecord } from '../kafka/client.ts'
import { rowOf, describeStream, tableOf } from './driver.ts'
import { healthOf } from './health-of.ts'
import { Scraper } from './scraper.ts'
import { until } from '../kafka/until.ts'
import { promtoolSays } from '../tools/test-parts/need-promtool.ts'

const PARTITIONS = 4

function recordsOf(from: number, count: number): NewRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const id = from + index
    return { partition: id % PARTITIONS, value: `{"id":${id},"name":"lämp"}` }
  })
}

function lengthOf(rows: readonly string[]): number {
  return rows.reduce((sum, row) => sum + Buffer.byteLength(row), 0)
}

describeStream('/metrics', (driver) => {
  let checked = ''

  it('tells what became of records, and of partitions that move', async () => {
    const [orders, users, letters] = await Promise.all([
      driver.topic(PARTITIONS, 'orders'),
      driver.topic(1, 'users'),
      driver.topic(1, 'letters'),
    ])
    const table = tableOf(orders)
    const given = {
      group: uniqueName('group'),
      topics: [
        { topic: orders, keys: ['id'] },
        { topic: users, keys: ['id'] },
      ],
      config: { dead_letters: { topic: letters }, health: { host: '127.0.0.1', port: 0 } },
    }
    await driver.fault({ table, next: 2, answer: { status: 503 } })
    await driver.fault({ table, next: 1, answer: { status: 429, headers: { 'retry-after': '1' } } })
    await driver.client.produce(users, ['{"id":1}'])
    await driver.client.produce(orders, [
      ...recordsOf(0, 400),
      ...[0, 1, 2].map((partition) => ({ partition, value: '{"name":"nobody"}' })),
      ...[0, 1, 2, 3, 3].map((partition) => ({ partition, key: 'gone', value: null })),
    ])
    const startedAt = Date.now()
    await using first = await driver.start(given)
    const one = await Scraper.of(first)
    const settled = (scraper: Scraper, topic: string, result: string): number =>
      scraper.labels('settled_records_total').some((labels) => labels['topic'] === topic)
        ? scraper.of('settled_records_total', { topic, result })
        : 0
    await one.until((it) => settled(it, orders, 'written') === 400 && settled(it, users, 'written') === 1)
    // what was accepted before is not refused for its table's sake
    await driver.fault({ table: tableOf(users), next: 1, answer: { status: 400 } })
    await driver.client.produce(users, ['{"id":2}'])
    await one.until((it) => settled(it, users, 'rejected') === 1 && it.of('unsettled_records') === 0)

    const rows = recordsOf(0, 400).map(({ value }) => rowOf(String(value)))
    const requests = one.of('delivered_requests_total', { table })
    const lags = [0, 1, 2, 3].map((partition) => ({ topic: orders, partition: `${partition}` }))
    const figures: [name: string, labels: object, value: number][] = [
      ['joined', {}, 1],
      ['assigned_partitions', {}, 5],
      ['paused_partitions', {}, 0],
      ['read_records_total', { topic: orders }, 408],
      ['read_records_total', { topic: users }, 2],
      ['settled_records_total', { topic: orders, result: 'written' }, 400],
      ['settled_records_total', { topic: orders, result: 'rejected' }, 3],
      ['settled_records_total', { topic: orders, result: 'ignored' }, 5],
      ['settled_records_total', { topic: users, result: 'written' }, 1],
      ['dead_letters_total', { topic: orders, reason: 'rejected' }, 3],
      ['dead_letters_total', { topic: orders, reason: 'refused' }, 0],
      ['dead_letters_total', { topic: users, reason: 'refused' }, 1],
      ['dead_letter_failures_total', {}, 0],
      ['commit_failures_total', {}, 0],
      ['request_duration_seconds_count', { result: 'failed' }, 3],
      ['topic_paused_partitions', { topic: orders, reason: 'fetched_ahead' }, 0],
      ['pauses_total', { topic: orders, reason: 'rebalance' }, 0],
      ['retries_total', { table, cause: 'server' }, 2],
      ['retries_total', { table, cause: 'throttled' }, 1],
      ['retries_total', { table, cause: 'network' }, 0],
      ['retries_total', { table, cause: 'timeout' }, 0],
      ['request_attempts_total', { table }, requests + 3],
      ['delivered_rows_total', { table }, 400],
      // a comma between two, brackets around each request
      ['delivered_bytes_total', { table }, lengthOf(rows) + rows.length + requests],
      ...[...lags, { topic: users, partition: '0' }].map((labels): [string, object, number] => [
        'consumer_lag_records',
        labels,
        0,
      ]),
      ...[
        'oldest_unsettled_age_seconds',
        'buffer_bytes',
        'requests_in_flight',
        'retrying_requests',
        'guarded_requests',
        'service_failing_seconds',
      ].map((name): [string, object, number] => [name, {}, 0]),
    ]
    const isSo = (it: Scraper): boolean => figures.every(([name, labels, value]) => it.of(name, labels) === value)
    // whatever is not so is shown below
    await one.until(isSo).catch(() => {})
    expect(figures.map(([name, labels]) => [name, labels, one.of(name, labels)])).toEqual(figures)
    expect(requests).toBeGreaterThanOrEqual(4)
    expect(one.of('request_permits')).toBeGreaterThan(0)
    const delivered = requests + one.of('delivered_requests_total', { table: tableOf(users) })
    expect(one.of('request_duration_seconds_count', { result: 'delivered' })).toBe(delivered)
    expect(one.of('request_duration_seconds_bucket', { result: 'delivered', le: '+Inf' })).toBe(delivered)
    expect(one.of('request_duration_seconds_sum', { result: 'delivered' })).toBeGreaterThan(0)
    expect(one.of('request_duration_seconds_count', { result: 'refused' })).toBeGreaterThan(0)
    await one.until((it) => it.labels('last_commit_timestamp_seconds').length === 5)
    expect(one.of('commits_total')).toBeGreaterThan(0)
    for (const labels of [...lags, { topic: users, partition: '0' }]) {
      const at = one.of('last_commit_timestamp_seconds', labels) * 1000
      expect(at).toBeGreaterThan(startedAt)
      expect(at).toBeLessThanOrEqual(Date.now())
    }

    const rebalances = one.of('rebalances_total')
    expect(rebalances).toBeGreaterThan(0)
    await using second = await driver.start(given)
    const other = await Scraper.of(second)
    const both = [one, other]
    const count = (it: Scraper): number => it.of('assigned_partitions')
    await other.until((it) => count(it) > 0 && count(it) < 5)
    await one.until((it) => count(it) > 0 && count(it) < 5)
    await driver.client.produce(orders, recordsOf(400, 200))
    const written = (): number => both.reduce((sum, it) => sum + settled(it, orders, 'written'), 0)
    await until(
      async () => (await Promise.all(both.map((it) => it.scrape()))).length > 0 && written() === 600,
      () => `${written()} are written:\n${one.text}\n${other.text}`,
    )
    const owned = both.map((it) => it.labels('consumer_lag_records').map((labels) => JSON.stringify(labels)))
    expect(owned.map(({ length }) => length)).toEqual(both.map(count))
    const all = [...lags, { topic: users, partition: '0' }].map((labels) => JSON.stringify(labels))
    expect(owned.flat().toSorted()).toEqual(all.toSorted())
    expect(both.map((it) => settled(it, orders, 'rejected'))).toEqual([3, 0])
    expect(one.of('rebalances_total')).toBeGreaterThan(rebalances)
    expect(one.of('pauses_total', { topic: orders, reason: 'rebalance' })).toBeGreaterThanOrEqual(PARTITIONS)
    checked = one.text
    for (const { text } of both) expect(text).not.toContain('lämp')
    await driver.stop(first)
    await driver.stop(second)
  })

  it('says that no more is fetched while the buffer is full of what a slow service takes, and that it goes on', async () => {
    const topic = await driver.topic()
    const values = Array.from({ length: 900 }, (_, id) => ({ value: `{"id":${id},"pad":"${'p'.repeat(1000)}"}` }))
    for (let from = 0; from < values.length; from += 100)
      await driver.client.produce(topic, values.slice(from, from + 100))
    await driver.fault({ table: tableOf(topic), every: 1, delay_ms: 300 })
    const config = { buffer_bytes: 65_536, health: { port: 0, host: '127.0.0.1' } }
    await using process = await driver.start({ topics: [{ topic, keys: ['id'] }], config })
    const scraper = await Scraper.of(process)
    await scraper.until((it) => it.of('topic_paused_partitions', { topic, reason: 'buffer' }) === 1)
    expect(scraper.of('buffer_bytes')).toBeGreaterThanOrEqual(65_536)
    const rows = values.map(({ value }) => rowOf(value))
    await driver.rowsAre(tableOf(topic), rows, process)
    await scraper.until((it) => it.of('paused_partitions') === 0)
    expect(scraper.of('topic_paused_partitions', { topic, reason: 'buffer' })).toBe(0)
    await driver.stop(process)
  })

  it('is of the moment it is asked for, as is /readyz: ready as soon as partitions are assigned', async () => {
    const topic = await driver.topic(PARTITIONS)
    await using process = await driver.start({
      topics: [{ topic, keys: ['id'] }],
      config: { health: { host: '127.0.0.1', port: 0 } },
    })
    const [health, scraper] = await Promise.all([healthOf(process), Scraper.of(process)])
    await process.said(/^Joined the group/)
    const [{ status, body }] = await Promise.all([health('/readyz'), scraper.scrape()])
    expect([status, body['ready'], body['partitions']]).toEqual([200, true, PARTITIONS])
    expect([scraper.of('joined'), scraper.of('assigned_partitions')]).toEqual([1, PARTITIONS])
    await driver.stop(process)
  })

  it('tells of dead letters that cannot be kept, while that is tried again', async () => {
    const [topic, letters] = await Promise.all([driver.topic(), driver.topic(1, 'letters')])
    await using process = await driver.start({
      topics: [{ topic, keys: ['id'] }],
      config: { dead_letters: { topic: letters }, health: { host: '127.0.0.1', port: 0 } },
    })
    const scraper = await Scraper.of(process)
    await scraper.until((it) => it.of('assigned_partitions') === 1)
    expect(scraper.of('dead_letter_failures_total')).toBe(0)
    await driver.client.deleteTopic(letters)
    await driver.client.produce(topic, ['{"name":"nobody"}'])
    await scraper.until((it) => it.of('dead_letter_failures_total') > 0)
    expect((await driver.endOf(process)).code).toBe(1)
  })

  it('passes promtool check metrics', async (context) => {
    const check = (text: string): Promise<string> => promtoolSays(context, ['check', 'metrics'], text)
    expect(await check(`${checked}\nbadName 1\n`)).toMatch(/^3 .*camelCase/s)
    expect(checked).toContain('analytics_stream_joined 1\n')
    expect(await check(checked)).toBe('0 ')
  })
})
