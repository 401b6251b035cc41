import { describe, expect, it } from 'vitest'
import { wholeNames } from '../../config/stream/topics.ts'
import { StreamTopics, topicsToRead } from './stream-topics.ts'
import { topicConfig } from './testing/topics.ts'
import { topicShared } from '../topics/topic-tables.ts'

const pattern = { pattern: wholeNames('shop.*', []), text: 'shop.*' }

function topicsOf(...entries: Parameters<typeof topicConfig>[0][]) {
  const said: string[] = []
  const configs = entries.map((entry) => topicConfig({ table: undefined, ...entry }))
  return { said, topics: new StreamTopics(configs, topicShared('p_'), (_level, message) => void said.push(message)) }
}

describe('the topics of a stream', () => {
  it('are made when they are met, once, and it is said where each goes', () => {
    const { topics, said } = topicsOf({ topic: pattern })
    const first = topics.find('shop.b')
    expect(topics.find('shop.b')).toBe(first)
    topics.find('shop.a')
    expect(topics.all.map(({ name, mapper }) => [name, mapper.table?.name])).toEqual([
      ['shop.a', 'p_shop_a'],
      ['shop.b', 'p_shop_b'],
    ])
    expect(said).toEqual([
      'Topic "shop.b" goes to table "p_shop_b": one row per id, newest arrival.',
      'Topic "shop.a" goes to table "p_shop_a": one row per id, newest arrival.',
    ])
  })

  it('that no entry is for are an error', () => {
    expect(() => topicsOf({ topic: pattern }).topics.find('other')).toThrow('no entry of topics matches it')
  })

  it('that would share a table are refused, unless each says so', () => {
    expect(() => topicsOf({ topic: pattern }).topics.check(['shop.a', 'shop-a'])).toThrow(
      /"shop.a" and "shop-a" have the same table .* `shared_table: true`/,
    )
    const { topics } = topicsOf({ topic: pattern, sharedTable: true })
    topics.check(['shop.a', 'shop-a'])
    expect(topics.find('shop.a').mapper.table).toBe(topics.find('shop-a').mapper.table)
  })
})

const named = (name: string) => topicConfig({ topic: { name } })
const all = topicConfig({ topic: { pattern: wholeNames('.*', []), text: '.*' } })

it('are those that are named, and of what a pattern matches neither internal ones nor the dead letters', () => {
  const there = ['b', '__own', 'letters', 'a']
  expect(topicsToRead(there, [named('b'), named('gone')], undefined)).toEqual(['b'])
  expect(topicsToRead(there, [all], 'letters')).toEqual(['a', 'b'])
  expect(topicsToRead(there, [all, named('letters'), named('__own')], 'letters')).toEqual([
    '__own',
    'a',
    'b',
    'letters',
  ])
})
