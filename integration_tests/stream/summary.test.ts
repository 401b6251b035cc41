// `stream --summary` as a process on a real broker: while it runs, when it is stopped or fails, and of a replay.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { readSummary } from '../summaries.ts'
import { KEY, describeStream, tableOf } from './driver.ts'

/** In every record of these tests. */
const DATA = 'canary-4711'

describeStream('stream --summary', (driver) => {
  it('tells topics, offsets, rejects and how it ended, or that it has not', async () => {
    const topic = await driver.topic()
    const group = uniqueName('group')
    const [letters, file] = ['letters.jsonl', 'summary.json'].map((name) => join(driver.work.path, name))
    const summary = () => readSummary(file!, [KEY, DATA])
    const values = [1, 2, 1].map((id) => `{"id":${id},"text":"${DATA}"}`)
    const produce = (some: readonly string[]) =>
      driver.client.produce(
        topic,
        some.map((value) => ({ value })),
      )
    await produce([...values, `{"text":"${DATA}"}`])
    const given = { group, topics: [{ topic, keys: ['id'] }], config: { dead_letters: { file: letters } } }
    const config = await driver.config(given)
    const args = ['--config', config, '--summary', file!]
    {
      await using process = driver.command(args)
      await driver.committedAre(group, topic, [4n], process)
      expect(await summary()).toMatchObject({ result: 'running', ended: null, exit_code: null })
      await driver.stop(process)
    }
    const told = await summary()
    expect(told).toMatchObject({
      command: 'stream',
      result: 'stopped',
      error: null,
      states: null,
      offsets: [{ topic, partition: 0, first: '0', last: '3' }],
      rejected: [{ name: topic, by: 'rejected', reason: 'its key field "id" is missing', records: 1 }],
    })
    expect(told.exit_code).toBeGreaterThan(128)
    expect(told.ended).not.toBeNull()
    const [row] = told.rows
    expect(row).toMatchObject({ name: topic, table: tableOf(topic), counts: { records: 4, rejected: 1 } })
    expect(row!.attempts).toBeGreaterThan(0)
    expect(row!.fetch_pauses).toMatchObject({ outage: 0 })
    // so few have no names that are surely none of data
    expect(row!.fields).toEqual({ sampled: 4, names: [], others: 7 })
    const replay = driver.command([...args, '--from-dead-letters'])
    expect((await driver.endOf(replay)).code).toBe(0)
    expect(await summary()).toMatchObject({ command: 'stream --from-dead-letters', result: 'done', exit_code: 0 })
    {
      await using process = driver.command(args)
      await produce(Array.from({ length: 12 }, () => values[0]!))
      await driver.committedAre(group, topic, [16n], process)
      await driver.stop(process)
    }
    const kinds = { string: 0, number: 12, boolean: 0, null: 0, object: 0, array: 0 }
    expect((await summary()).rows[0]!.fields!.names[0]).toEqual({ name: 'id', records: 12, kinds })
    await using missing = driver.command([
      '--config',
      await driver.config({ ...given, topics: [{ topic: uniqueName('none'), keys: ['id'] }] }),
      '--summary',
      file!,
    ])
    expect((await driver.endOf(missing)).code).toBe(1)
    expect(await summary()).toMatchObject({ result: 'failed', exit_code: 1, error: { kind: 'config' } })
  })

  it('never replaces a file that the config refers to', async () => {
    const topic = await driver.topic()
    const config = await driver.config({ group: uniqueName('group'), topics: [{ topic, keys: ['id'] }] })
    const key = join(driver.work.path, 'api-key')
    const before = await readFile(key)
    await using process = driver.command(['--config', config, '--summary', key])
    const { code, stdout } = await driver.endOf(process)
    expect([code, stdout]).toEqual([1, expect.stringContaining('is one that the config refers to')])
    expect(await readFile(key)).toEqual(before)
  })
})
