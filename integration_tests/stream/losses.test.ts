// A process of `stream` that fails while its deliveries are repeated, and whose partition another member takes over meanwhile:
// the row it still had must not come over what the other one delivers.

import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import type { NewRecord } from '../kafka/client.ts'
import { rowOf, describeStream, tableOf } from './driver.ts'
import { healthOf } from './health-of.ts'
import { until } from '../kafka/until.ts'

const VERSIONS = 30

describeStream('stream that fails', (driver) => {
  const rows = (version: number): NewRecord[] =>
    Array.from({ length: VERSIONS }, (_, id) => ({ value: `{"id":${id},"v":${version}}` }))

  it.each([
    ['is refused', 'cut'],
    ['is not answered', 'held'],
  ] as const)('sends nothing of a partition that was taken away, and ends: what it sends %s', async (_what, way) => {
    const topic = await driver.filled([...rows(1), { value: '{"id":' }, ...rows(2)])
    const letters = await driver.topic(1, 'letters')
    const group = uniqueName('group')
    const given = { group, topics: [{ topic, keys: ['id'] }] }
    const config = { request_timeout_seconds: 3, health: { port: 0, host: '127.0.0.1' } }
    driver.proxy.way = way
    await using failing = await driver.start({ ...given, config })
    const health = await healthOf(failing)
    await until(
      async () => ((await health('/readyz')).body['outstanding_records'] as number) >= VERSIONS,
      () => `nothing is to be sent:\n${failing.toString()}`,
    )
    // which way it takes is its own, and what the first one cannot store it keeps as a dead letter
    await using other = await driver.start({
      ...given,
      config: { import_url: driver.service.url, dead_letters: { topic: letters } },
    })
    const { code, lines } = await driver.endOf(failing)
    expect(code, failing.toString()).toBe(1)
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { kind: 'config', message: expect.stringMatching(/offset 30,.* cannot be stored/) as unknown },
    ])
    // what was under way when it ended lands nowhere
    driver.proxy.way = 'cut'
    driver.proxy.way = 'open'
    await driver.committedAre(group, topic, [BigInt(2 * VERSIONS + 1)], other)
    await driver.rowsAre(
      tableOf(topic),
      rows(2).map(({ value }) => rowOf(String(value))),
      other,
    )
    await driver.stop(other)
  })
})
