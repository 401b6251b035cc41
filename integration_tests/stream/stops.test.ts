// How `stream` ends as a process on a real broker: with 1 and one error where something is wrong, with 143 when it is told to,
// and in both cases with what is settled committed, and nothing beyond. What health says meanwhile.

import { afterEach, describe, expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import type { NewRecord } from '../kafka/client.ts'
import { KEY, describeStream, tableOf } from './driver.ts'
import { healthOf } from './health-of.ts'
import type { StreamEnded } from './stream-process.ts'
import { until } from '../kafka/until.ts'

/** Longer than a test: what is committed at the end is. */
const NEVER = { commit_every_seconds: 300 }

describeStream('stream', (driver) => {
  // also where a test failed before it did so
  afterEach(() => {
    driver.proxy.way = 'open'
  })

  const rows = (from: number, to: number): NewRecord[] =>
    Array.from({ length: to - from }, (_, index) => ({ key: `k${from + index}`, value: `{"id":${from + index}}` }))

  describe('ends with 1 and one error', () => {
    const stops: readonly [what: string, bad: NewRecord, entry: object, said: RegExp][] = [
      [
        'a record that is no JSON',
        { value: '{"id":' },
        { keys: ['id'] },
        /offset 60,.* cannot be stored: .*dead_letters/,
      ],
      ['a tombstone', { key: 'x', value: null }, { keys: ['id'], tombstones: 'fail' }, /offset 60: .*tombstone/],
    ]
    it.each(stops)('at %s, with all before it stored and committed', async (_what, bad, entry, said) => {
      const topic = await driver.filled([...rows(0, 60), bad, ...rows(61, 70)])
      const group = uniqueName('group')
      await using process = await driver.start({ group, topics: [{ topic, ...entry }], config: NEVER })
      const ended = await driver.endOf(process)
      expect(errorOf(ended)).toMatchObject({ kind: 'config', message: expect.stringMatching(said) as unknown })
      expect(await driver.client.committed(group, topic)).toEqual([60n])
      const stored = (await driver.rows(tableOf(topic))).map((row) => (JSON.parse(row) as { id: unknown }).id)
      expect(new Set(stored)).toEqual(new Set(Array(60).keys()))
    })

    it('when the key is no longer taken, with what is settled committed', async () => {
      const topic = await driver.filled(rows(0, 500))
      const group = uniqueName('group')
      await using process = await driver.start({ group, topics: [{ topic, keys: ['id'] }], config: NEVER })
      await driver.rowsAre(
        tableOf(topic),
        rows(0, 500).map(({ value }) => String(value).replace('{', '{"keys":["id"],')),
        process,
      )
      const body = JSON.stringify({ code: 401, message: `no ${KEY}`, reasons: [encodeURIComponent(KEY)] })
      await driver.fault({ table: tableOf(topic), every: 1, answer: { status: 401, body } })
      await driver.client.produce(topic, rows(500, 600))
      expect(errorOf(await driver.endOf(process))).toMatchObject({ kind: 'config' })
      expect(await driver.client.committed(group, topic)).toEqual([500n])
    })
  })

  it('stops at an offset that is gone when all it had fetched is stored, which the topic no longer has', async () => {
    const topic = await driver.filled(rows(0, 3_000))
    const group = uniqueName('group')
    driver.proxy.way = 'held'
    await using process = await driver.start({
      group,
      topics: [{ topic, keys: ['id'] }],
      config: { buffer_bytes: 65_536, max_requests_per_second: 20, health: { port: 0, host: '127.0.0.1' } },
    })
    const health = await healthOf(process)
    await until(
      // how many fit into the buffer depends on how large the chunks are that they come in
      async () => ((await health('/readyz')).body['outstanding_records'] as number) >= 200,
      () => `nothing is to be sent:\n${process.toString()}`,
    )
    for (const from of [3_000, 6_000]) await driver.client.produce(topic, rows(from, from + 3_000))
    await driver.client.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '9000' }] })
    driver.proxy.way = 'open'
    const { message } = errorOf(await driver.endOf(process))
    const [, gone] =
      /reading was to continue at offset (\d+), but its first record now has offset 9000/.exec(message) ?? []
    expect(Number(gone), message).toBeGreaterThanOrEqual(200)
    const stored = (await driver.rows(tableOf(topic))).map((row) => (JSON.parse(row) as { id: number }).id)
    expect(stored.toSorted((a, b) => a - b)).toEqual([...Array(Number(gone)).keys()])
    expect(await driver.client.committed(group, topic)).toEqual([BigInt(gone!)])
  })

  it('ends when it is told to while dead letters are under way, and goes on where it was', async () => {
    const count = 8000
    const topic = await driver.filled(Array.from({ length: count }, (_, index) => ({ value: `{"poison":${index}` })))
    const letters = await driver.topic(1, 'letters')
    const group = uniqueName('group')
    const given = { group, topics: [{ topic, keys: ['id'] }], config: { dead_letters: { topic: letters } } }
    {
      await using process = await driver.start(given)
      await process.said(/It goes to the topic/)
      await driver.stop(process)
    }
    const kept = new Set((await driver.client.read(letters)).map(({ value }) => String(value)))
    const [committed] = await driver.client.committed(group, topic)
    for (let index = 0; index < Number(committed); index++) expect(kept).toContain(`{"poison":${index}`)
    await using process = await driver.start(given)
    await driver.committedAre(group, topic, [BigInt(count)], process)
    expect(new Set((await driver.client.read(letters)).map(({ value }) => String(value))).size).toBe(count)
    await driver.stop(process)
  })

  it('ends when it is told to while the service answers nothing, and goes on where it was', async () => {
    const topic = await driver.filled(rows(0, 1000))
    const group = uniqueName('group')
    const given = { group, topics: [{ topic, keys: ['id'] }], config: { health: { port: 0, host: '127.0.0.1' } } }
    const table = tableOf(topic)
    {
      await using process = await driver.start(given)
      await driver.committedAre(group, topic, [1000n], process)
      driver.proxy.way = 'held'
      await driver.client.produce(topic, rows(1000, 5000))
      const health = await healthOf(process)
      await until(
        async () => ((await health('/readyz')).body['requests_in_flight'] as number) > 0,
        () => `nothing is sent:\n${process.toString()}`,
      )
      // a service that is slow is no fault of this process
      expect((await health('/readyz')).status).toBe(200)
      expect((await health('/healthz')).status).toBe(200)
      await driver.stop(process)
    }
    expect((await driver.client.describeGroup(group)).members).toEqual([])
    const [committed] = await driver.client.committed(group, topic)
    driver.proxy.way = 'open'
    expect(committed).toBe(1000n)
    await using process = await driver.start(given)
    await driver.committedAre(group, topic, [5000n], process)
    expect(await driver.rows(table)).toHaveLength(5000)
    await driver.stop(process)
  })
})

/** The one error, in its last words but for the figures. */
function errorOf({ code, lines, stdout }: StreamEnded): { message: string; kind?: unknown } {
  expect(code, stdout).toBe(1)
  const errors = lines.filter(({ level }) => level === 'error')
  expect(errors, stdout).toHaveLength(1)
  return errors[0]!
}
