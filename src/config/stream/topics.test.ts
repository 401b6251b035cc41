import { describe, expect, it } from 'vitest'

import { tableNameOf } from '../../mapping/table-name.ts'
import { readConfig } from './testing/stream-configs.ts'
import { entryFor, isTopicName, patternProblem, sharedTables, tablesOf, wholeNames } from './topics.ts'

it.each(['a', 'Orders_1.v-2', '...', 'a'.repeat(249)])('takes the name %.20s', (name) => {
  expect(isTopicName(name)).toBe(true)
})

it.each(['', '.', '..', 'a b', 'ä', 'a/b', 'a\n', 'a'.repeat(250)])('does not take the name %.20j', (name) => {
  expect(isTopicName(name)).toBe(false)
})

it.each(['(', 'a)(b', '[', 'a**', 'a\\', String.raw`shop\-x`, '(?<a>.)(?<a>.)', '(?i)a'])('no pattern: %s', (text) => {
  expect(patternProblem(text)).toMatch(/^is not a regular expression: ./)
})

it.each([
  ['orders|returns', ['orders', 'returns'], ['orders2', 'my-orders', 'orders\n']],
  [String.raw`^shop\..*$`, ['shop.a', 'shop.'], ['shop', 'a.shop.a']],
  ['.*', ['a', '_', '__consumer_offsets_2'], ['__consumer_offsets', '__transaction_state', 'dead.letters']],
  ['dead.letters', ['dead-letters', 'deadxletters'], ['dead.letters']],
  ['(a)(b)?\\1', ['aa', 'aba'], ['ab']],
])('%s matches whole names', (text, names, others) => {
  expect(patternProblem(text)).toBeUndefined()
  const pattern = wholeNames(text, ['dead.letters'])
  for (const name of names) expect(pattern.test(name), name).toBe(true)
  for (const name of others) expect(pattern.test(name), name).toBe(false)
})

it('a name wins over patterns, the first pattern over others, and some topics are nobody’s', async () => {
  const topics = [
    { pattern: 'shop_.*', keys: ['a'] },
    { pattern: '.*s', keys: ['b'] },
    { topic: 'shop_orders', keys: ['c'] },
  ]
  const { config } = await readConfig({ top: { topics, dead_letters: { topic: 'shop_letters' } } })
  const of = (name: string): unknown => {
    const keys = entryFor(name, config!.topics)?.keys
    return keys?.from === 'value' ? keys.paths[0]![0] : undefined
  }
  expect(['shop_orders', 'shop_items', 'items', 'item', 'shop_letters', '__consumer_offsets'].map(of)).toEqual([
    'c',
    'a',
    'b',
    undefined,
    undefined,
    undefined,
  ])
})

const of = (topics: readonly string[], prefix = '', sharedTable = false) =>
  topics.flatMap((topic) => tablesOf(topic, { table: undefined, sharedTable, route: undefined }, prefix))

describe('topics that share a table', () => {
  it('are told together, with the way out', () => {
    const [first, ...more] = sharedTables(of(['a.b', 'c', 'A_b', 'a-b']))
    expect(first!.entries.map(({ topic }) => topic)).toEqual(['a.b', 'A_b', 'a-b'])
    expect(first!.problem).toContain('"a.b" and "A_b" and "a-b"')
    expect(more).toEqual([])
  })

  it('count their prefix, unless a table is given', () => {
    const given = { topic: 'x', table: 'shop_orders', sharedTable: false }
    expect(sharedTables([...of(['orders'], 'shop_'), given])).toHaveLength(1)
    expect(sharedTables([...of(['orders']), given])).toHaveLength(0)
  })

  it('may, if all say so', () => {
    const shared = of(['a.b', 'a-b'], '', true)
    expect(sharedTables(shared)).toEqual([])
    expect(sharedTables([...shared, ...of(['a_b'])])).toHaveLength(1)
  })

  it('are listed up to a bound', () => {
    const names = Array.from({ length: 100 }, (_, index) => 'a.b'.padEnd(4 + index, '.'))
    const shared = names.map((topic) => ({ topic, table: 't', sharedTable: false }))
    expect(sharedTables(shared)[0]!.problem).toContain('and 95 more')
  })

  it('are those whose names the mapping makes equal', () => {
    const names = ['a.b', 'a_b', 'A-B', 'a', '_', '.-', '...', '___', 'a.', '1', 't_1']
    for (const first of names) {
      for (const second of names.filter((name) => name !== first)) {
        const [one, two] = [first, second].map((name) => tableNameOf(undefined, name, 'p.').table.toLowerCase())
        expect(sharedTables(of([first, second], 'p.')).length === 1, `${first} ${second}`).toBe(one === two)
      }
    }
  })
})
