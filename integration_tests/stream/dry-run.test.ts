// `stream --dry-run` on a real broker: what it says is what the run that follows does, and nothing is left behind.

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fits } from '../../spec/draft-07.ts'
import { dryRunFileSchema } from '../../spec/summary-reference.ts'
import { dryStream } from '../../src/commands/stream/stream.ts'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import type { Summary } from '../../src/telemetry/summary/summary-schema.ts'
import { Random } from '../engine/random.ts'
import { NO_INPUT, ioOf, Said } from '../../src/process/testing/said.ts'
import { uniqueName } from '../kafka/available.ts'
import type { NewRecord } from '../kafka/client.ts'
import { until } from '../kafka/until.ts'
import { describeStream } from './driver.ts'
import { readSummary } from '../summaries.ts'
import { judge } from '../dry-run/judge.ts'

const CASES = 50

describeStream('stream --dry-run', (driver) => {
  async function dryRun(configFile: string, mostRecords?: number): Promise<{ code: number | 'stopped'; dry: DryRun }> {
    const said = new Said()
    const code = await dryStream({ configFile, json: true, mostRecords }, ioOf(NO_INPUT, said, said))
    const dry = JSON.parse(await said.text()) as DryRun
    expect(fits(dry, dryRunFileSchema())).toBe(true)
    return { code, dry }
  }

  it.each([
    ['fixed', 1],
    ['fresh', randomInt(2 ** 31)],
  ])(
    'is right about random topics: %s seeds from %d on',
    async (_which, first) => {
      for (let seed = first; seed < first + CASES / 2; seed++) {
        try {
          await tryOut(new Random(seed))
        } catch (error) {
          throw new Error(`seed ${seed}`, { cause: error })
        }
      }
    },
    900_000,
  )

  it('reads from where the group goes on, at most so many records, and commits nothing', async () => {
    const group = uniqueName('group')
    const topic = await driver.topic(3)
    const records = Array.from({ length: 20 }, (_, nth) => ({ value: `{"id":${nth}}`, key: null, partition: nth % 2 }))
    await driver.client.produce(topic, records)
    await driver.client.admin.setOffsets({ groupId: group, topic, partitions: [{ partition: 0, offset: '7' }] })
    const config = await driver.config({ group, topics: [{ topic, keys: ['id'] }] })
    const whole = await dryRun(config)
    expect(whole.dry).toMatchObject({
      result: 'done',
      rows: [{ name: topic, records: 13, rejected: 0 }],
      offsets: [
        { topic, partition: 0, first: '7', end: '10', begins: 'committed' },
        { topic, partition: 1, first: '0', end: '10', begins: 'start' },
      ],
    })
    const some = await dryRun(config, 5)
    expect(some.dry.rows).toMatchObject([{ records: 5 }])
    expect(await driver.client.committed(group, topic)).toEqual([7n, undefined, undefined])
    const partitions = [0, 1, 2].map((partition) => ({ partition, offset: partition === 2 ? '0' : '10' }))
    await driver.client.admin.setOffsets({ groupId: group, topic, partitions })
    expect((await dryRun(config)).dry).toMatchObject({ result: 'done', offsets: [], error: null })
    await driver.client.admin.setOffsets({ groupId: group, topic, partitions: [{ partition: 0, offset: '99' }] })
    const gone = await dryRun(config)
    expect([gone.code, gone.dry.error?.message]).toEqual([1, expect.stringContaining('out_of_range')])
    expect((await driver.client.groups()).filter((name) => name.startsWith(`${group}-`))).toEqual([])
  }, 60_000)

  it('is a gate before sending, by the summary of a real run', async () => {
    const topic = await driver.filled(['{"id":1,"no":1}'])
    const file = join(driver.work.path, `${uniqueName('summary')}.json`)
    const own = { topic, keys: ['id'] }
    const gate = async (group: string, entry: object) => {
      const said = new Said()
      const configFile = await driver.config({ group, topics: [entry] })
      const options = { configFile, json: true, mostRecords: undefined, compare: file, failOnChange: true }
      const code = await dryStream(options, ioOf(NO_INPUT, said, said))
      const { error, changes } = JSON.parse(await said.text()) as DryRun
      return [code, error?.code, changes?.map(({ what }) => what)]
    }
    const group = uniqueName('group')
    {
      const config = await driver.config({ group, topics: [own] })
      await using process = driver.command(['--config', config, '--summary', file])
      await driver.committedAre(group, topic, [1n], process)
      await driver.stop(process)
    }
    expect(await gate(group, own)).toEqual([0, undefined, []])
    expect(await gate(group, { ...own, keys: ['no'] })).toEqual([1, 'run.differs', ['keys-new']])
  }, 120_000)

  async function tryOut(random: Random): Promise<void> {
    const group = uniqueName('group')
    const letters = join(driver.work.path, `${group}.jsonl`)
    const topics: object[] = []
    const names: string[] = []
    for (let left = 1 + random.below(2); left > 0; left--) {
      const partitions = 1 + random.below(3)
      const topic = await driver.topic(partitions)
      const records = recordsOf(random, partitions)
      await driver.client.produce(topic, records)
      names.push(topic)
      topics.push({
        topic,
        keys: [{ offset: true }, { key: 'id' }, ['id'], ['id']][random.below(4)],
        keep_last: random.below(3) > 0,
      })
    }
    const config = await driver.config({
      group,
      topics,
      config: { dead_letters: { file: letters }, max_rejected_share: 1 },
    })
    const { code, dry } = await dryRun(config)
    expect([code, dry.error]).toEqual([0, null])
    const summary = join(driver.work.path, `${group}.json`)
    const process = driver.command(['--config', config, '--summary', summary])
    try {
      // an empty topic is committed from the beginning, and the signal itself would end a process that has not begun
      await process.said(/^Joined the group/)
      for (const topic of names) {
        const spans = dry.offsets.filter((span) => span.topic === topic)
        const isDone = async (): Promise<boolean> => {
          const committed = await driver.client.committed(group, topic)
          return spans.every(({ partition, end }) => committed[partition] === BigInt(end))
        }
        await until(isDone, () => process.toString())
      }
      await driver.stop(process)
    } finally {
      await process[Symbol.asyncDispose]()
    }
    const told = await readSummary(summary, [])
    expect(told.result).toBe('stopped')
    const rows = new Map<string, readonly string[]>()
    for (const { table } of dry.tables) rows.set(table, await driver.rows(table))
    judge(inOrder(dry), inOrder<Summary>({ ...told, result: 'done' }), rows)
    expect(await driver.client.groups()).not.toContainEqual(expect.stringContaining(`${group}-dry-run-`))
  }
})

function recordsOf(random: Random, partitions: number): NewRecord[] {
  return Array.from({ length: random.below(200) }, () => {
    const id = [String(random.below(20)), `"${random.below(20)}"`, `${random.below(20)}.0`, 'null'][
      random.below(20) === 0 ? 3 : random.below(3)
    ]!
    const value = random.below(30) === 0 ? 'none' : `{"id":${id},"text":"${'x'.repeat(random.below(50))}"}`
    return { value, key: String(random.below(20)), partition: random.below(partitions) }
  })
}

/** Partitions come in any order: what is first, and what stands first of what is as frequent, is by chance. */
function inOrder<T extends DryRun | Summary>(told: T): T {
  const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  const rows = told.rows.map((row) => {
    return { ...row, fields: row.fields && { ...row.fields, names: row.fields.names.toSorted(byText) } }
  })
  return { ...told, rows, rejected: told.rejected.map((one) => ({ ...one, first: '' })).toSorted(byText) }
}
