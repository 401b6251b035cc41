import { expect, it } from 'vitest'
import { readConfig } from '../../config/stream/testing/stream-configs.ts'
import type { CheckFinding } from './check-report.ts'
import { checkTopics } from './check-topics.ts'
import { StreamTopics } from '../source/stream-topics.ts'
import { topicShared } from '../topics/topic-mapper.ts'

async function checked(
  topics: readonly object[],
  there: readonly string[],
  top: Readonly<Record<string, unknown>> = {},
): Promise<{ names: string[]; found: [CheckFinding['level'], string][]; tables: (string | undefined)[] }> {
  const { config, problems } = await readConfig({ top: { topics, ...top } })
  expect(problems).toEqual([])
  const { topics: all, findings } = checkTopics(
    config!,
    there,
    new StreamTopics(config!.topics, topicShared(config!.tablePrefix)),
  )
  return {
    names: all.map(({ name }) => name),
    found: findings.map(({ level, text }) => [level, text]),
    tables: all.map(({ mapper }) => mapper?.table.name),
  }
}

it('reads what names and patterns say, and neither internal topics nor dead letters', async () => {
  const topics = [
    { topic: 'orders', keys: ['id'] },
    { pattern: '.*', keys: ['id'] },
  ]
  const there = ['__consumer_offsets', '__other', 'b', 'letters', 'orders', 'a']
  const { names, found, tables } = await checked(topics, there, {
    dead_letters: { topic: 'letters' },
    table_prefix: 'k_',
  })
  expect(names).toEqual(['a', 'b', 'orders'])
  expect(tables).toEqual(['k_a', 'k_b', 'k_orders'])
  expect(found).toEqual([['ok', 'Pattern ".*" matches 2 topics now.']])
})

it('suggests the name that was probably meant', async () => {
  const { found } = await checked(
    [
      { topic: 'ordrs', keys: ['id'] },
      { topic: 'zebra', keys: ['id'] },
    ],
    ['orders'],
  )
  expect(found).toEqual([
    ['FAIL', expect.stringMatching(/^There is no topic "ordrs", .*Did you mean "orders"\?/)],
    ['FAIL', expect.stringMatching(/^There is no topic "zebra", or this user may not see it\. Create it/)],
  ])
})

it('warns of a pattern without a topic, and says when others have what it matches', async () => {
  const topics = [
    { topic: 'a1', keys: ['id'] },
    { pattern: 'a.*', keys: ['id'] },
    { pattern: String.raw`none\..*`, keys: ['id'] },
  ]
  const { found } = await checked(topics, ['a1'])
  expect(found).toEqual([
    ['warn', expect.stringMatching(/^Pattern "a\.\*" has no topic now: those it matches are taken by other entries\./)],
    ['warn', expect.stringMatching(/^Pattern "none\\\.\.\*" has no topic now: none matches\. .*every 60 s/)],
  ])
})

it('refuses tables that topics of a pattern would share, and entries that cannot be of one table', async () => {
  const shared = await checked([{ pattern: '.*', keys: ['id'] }], ['a.b', 'a-b', 'A_B'])
  expect(shared.found.at(-1)).toEqual(['FAIL', expect.stringMatching(/^The topics .*"a\.b".* have the same table/)])
  const both = [
    { pattern: 'a', keys: ['id'], table: 't', shared_table: true },
    { pattern: 'b', keys: ['id'], table: 't', shared_table: true, keep_last: false },
  ]
  const { found, tables } = await checked(both, ['a', 'b'])
  expect(found.at(-1)).toEqual(['FAIL', expect.stringMatching(/^Topic "b": its table "t" .*keep_last/)])
  expect(tables).toEqual(['t', undefined])
})
