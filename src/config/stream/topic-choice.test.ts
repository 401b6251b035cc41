import { expect, it } from 'vitest'
import { readConfig } from './testing/stream-configs.ts'
import { entryFor, wholeNames } from './topic-choice.ts'

it.each([
  ['orders|returns', ['orders', 'returns'], ['orders2', 'my-orders', 'orders\n']],
  [String.raw`^shop\..*$`, ['shop.a', 'shop.'], ['shop', 'a.shop.a']],
  ['.*', ['a', '_', '__consumer_offsets_2'], ['__consumer_offsets', '__transaction_state', 'dead.letters']],
  ['dead.letters', ['dead-letters', 'deadxletters'], ['dead.letters']],
  ['(a)(b)?\\1', ['aa', 'aba'], ['ab']],
])('%s matches whole names', (text, names, others) => {
  const pattern = wholeNames(text, ['dead.letters'])
  for (const name of names) expect(pattern.test(name), name).toBe('matches')
  for (const name of others) expect(pattern.test(name), name).toBe('differs')
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
