import { expect, it } from 'vitest'

import { readConfig } from './testing/stream-configs.ts'
import { entryFor } from './topic-entries.ts'

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
