import { expect, it } from 'vitest'
import { readConfig } from '../../config/stream/testing/stream-configs.ts'
import type { CheckFinding } from './check-report.ts'
import { checkTopics, beginsAt, goneOffsets, topicTable, toRead, type CheckedTopic } from './check-topics.ts'
import { StreamTopics } from '../source/stream-topics.ts'
import { topicShared } from '../topics/topic-tables.ts'
import { askPositions, type FoundPosition, type OffsetQuestions } from '../client/positions.ts'
import type { OffsetRange } from '../types.ts'
import { topicConfig } from '../source/testing/topics.ts'

const positionsOf = (
  { name, entry }: CheckedTopic,
  group: string | undefined,
  questions: OffsetQuestions,
): Promise<readonly FoundPosition[]> => askPositions(questions, name, entry, group)

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
    tables: all.map(({ mapper }) => mapper?.table?.name),
  }
}

it('reads what names and patterns say, and of what patterns match neither internal topics nor dead letters', async () => {
  const topics = [
    { topic: 'orders', keys: ['id'] },
    { topic: '__own', keys: ['id'] },
    { pattern: '.*', keys: ['id'] },
  ]
  const there = ['__consumer_offsets', '__other', '__own', 'b', 'letters', 'orders', 'a']
  const { names, found, tables } = await checked(topics, there, {
    dead_letters: { topic: 'letters' },
    table_prefix: 'k_',
  })
  expect(names).toEqual(['__own', 'a', 'b', 'orders'])
  expect(tables).toEqual(['k___own', 'k_a', 'k_b', 'k_orders'])
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

const topicOf = (over: Parameters<typeof topicConfig>[0] = {}): CheckedTopic => ({
  name: 'orders',
  entry: topicConfig(over),
  mapper: undefined,
})

const questions = (
  ranges: readonly (readonly [low: bigint, high: bigint])[],
  committed: readonly (bigint | undefined)[] = [],
): OffsetQuestions => ({
  ranges: () => Promise.resolve(new Map(ranges.map(([low, high], at): [number, OffsetRange] => [at, { low, high }]))),
  committed: (_group, [topic]) =>
    Promise.resolve(
      committed.flatMap((offset, partition) => (offset === undefined ? [] : [{ topic: topic!, partition, offset }])),
    ),
  watermarks: () => Promise.resolve(new Map(ranges.map(([, high], at) => [at, high + 3n]))),
  offsetsAt: () => Promise.resolve(new Map(ranges.map(([, high], at) => [at, high - 1n]))),
  topicIds: () => Promise.resolve(new Map()),
})

it('tells where each topic goes on, and how far the end is', async () => {
  const all = async (over: Parameters<typeof topicOf>[0], committed: (bigint | undefined)[]): Promise<unknown[]> => {
    const partitions = await positionsOf(
      topicOf(over),
      'g',
      questions(
        [
          [10n, 20n],
          [0n, 5n],
        ],
        committed,
      ),
    )
    expect(goneOffsets('orders', partitions)).toEqual([])
    return [beginsAt(topicOf(over), partitions), toRead(partitions)]
  }
  expect(await all({}, [])).toEqual(['earliest', 15n])
  expect(await all({ start: 'latest' }, [])).toEqual(['latest', 0n])
  expect(await all({ start: { timestamp: 1_769_817_600_000n } }, [])).toEqual(['2026-01-31T00:00:00.000Z', 2n])
  expect(await all({}, [12n, 5n])).toEqual(['committed', 8n])
  expect(await all({}, [12n])).toEqual(['committed, 1 earliest', 13n])
  expect(await all({}, [23n, 1n])).toEqual(['committed', 4n])
})

it('fails where an offset that is gone stops the run, and warns where it does not', async () => {
  const asked = questions(
    Array.from({ length: 5 }, () => [10n, 20n] as const),
    [1n, 99n, 3n, 4n, 15n],
  )
  const stopping = await positionsOf(topicOf(), 'g', asked)
  expect(beginsAt(topicOf(), stopping)).toBe('out of range')
  expect(goneOffsets('orders', stopping)).toEqual([
    {
      level: 'FAIL',
      code: 'topic.offset-gone',
      text: expect.stringMatching(/partition 0: .* offset 1, .*out_of_range/),
    },
    { level: 'FAIL', code: 'topic.offset-gone', text: expect.stringMatching(/partition 1: .*ends at offset 20/) },
    { level: 'FAIL', code: 'topic.offset-gone', text: expect.stringMatching(/partition 2: /) },
    {
      level: 'FAIL',
      code: 'topic.offset-gone',
      text: expect.stringMatching(/^Topic orders: in 1 further partitions too/),
    },
  ])
  // what is left of a partition whose next offset is gone, and none of one that ends before
  expect(toRead(stopping)).toBe(4n * 10n + 5n)
  const jumping = await positionsOf(topicOf({ outOfRange: 'latest' }), 'g', asked)
  expect(goneOffsets('orders', jumping).map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'warn'])
})

it('asks for no offsets of a group that may not be asked', async () => {
  const asked: OffsetQuestions = {
    ...questions([[0n, 1n]]),
    committed: () => Promise.reject(new Error('not this one')),
  }
  expect(await positionsOf(topicOf(), undefined, asked)).toHaveLength(1)
})

it('takes two columns out of a table that does not fit', async () => {
  const topics = [{ topic: 'shop.public.orders', keys: ['id'] }]
  const { config } = await readConfig({ top: { topics } })
  const streamTopics = new StreamTopics(config!.topics, topicShared(config!.tablePrefix))
  const { topics: all } = checkTopics(config!, ['shop.public.orders'], streamTopics)
  const asked = new Map([['shop.public.orders', { code: 'kafka.unreachable', text: 'not asked' } as const]])
  expect(topicTable(all, asked, 120)).toContain('what identifies a row')
  expect(topicTable(all, asked, 80).split('\n')).toEqual([
    'topic               partitions  starts at  to read',
    '------------------  ----------  ---------  -------',
    'shop.public.orders  ?           ?          ?',
    '',
    'shop.public.orders: table shop_public_orders, one row per id, newest arrival',
  ])
})
