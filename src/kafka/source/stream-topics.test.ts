import { describe, expect, it } from 'vitest'
import { plainPattern } from '../../config/stream/testing/plain-pattern.ts'
import { wholeNames } from '../../config/stream/topic-choice.ts'
import { emptySlot } from '../../mapping/stream-mapping.ts'
import { StreamTopics } from './stream-topics.ts'
import { recordOf, topicConfig } from './testing/topics.ts'
import { topicShared } from '../topics/topic-tables.ts'

const pattern = { pattern: wholeNames('shop.*', []), text: 'shop.*' }

function topicsOf(...entries: Parameters<typeof topicConfig>[0][]) {
  const said: string[] = []
  const configs = entries.map((entry) => topicConfig({ table: undefined, ...entry }))
  return {
    said,
    topics: new StreamTopics(
      configs,
      topicShared('p_'),
      (_level, message, of) => void said.push(`${of?.code ?? of?.event}: ${message}`),
    ),
  }
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
      'table.chosen: Topic "shop.b" goes to table "p_shop_b": one row per id, newest arrival.',
      'table.chosen: Topic "shop.a" goes to table "p_shop_a": one row per id, newest arrival.',
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

describe('a topic that comes later', () => {
  it('is left out and named once where its table is one that was made for a value, until that topic is gone', () => {
    const any = { matching: plainPattern('[a-z0-9_]+'), most: 9 }
    const route = { by: { header: 'kind' }, tables: new Map(), any, others: 'ignore' as const }
    const { topics, said } = topicsOf({ topic: { name: 'events' }, route }, { topic: pattern })
    expect(topics.check(['events', 'shop.a'])).toEqual(['events', 'shop.a'])
    const record = { ...recordOf('{"id":1}'), headers: [['kind', Buffer.from('shop_orders')] as const] }
    topics.find('events').mapper.map(record, { name: 'events' }, 0, 0n, 0, emptySlot(0n))
    said.length = 0
    for (let times = 0; times < 3; times++)
      expect(topics.check(['events', 'shop.a', 'shop.orders', 'shop.b'])).toEqual(['events', 'shop.a', 'shop.b'])
    expect(said).toEqual([
      'topic.tables-meet: This process does not read the new topic "shop.orders". The topics cannot be written as they are: the topics "events" and "shop.orders" have the same table (compared without case): give one of them another `table`, or set `shared_table: true` in the entry of each.',
      'table.chosen: Topic "shop.b" goes to table "p_shop_b": one row per id, newest arrival.',
    ])
    expect(topics.all.map(({ name }) => name)).toEqual(['events', 'shop.a', 'shop.b'])
    expect(topics.check(['shop.a', 'shop.orders'])).toEqual(['shop.a', 'shop.orders'])
  })

  it('is left out with another one where they would meet, and with a table that cannot be stored', () => {
    const { topics, said } = topicsOf(
      { topic: { name: 'kept' }, table: 'p_shop_kept', sharedTable: true, keepLast: false },
      { topic: pattern, sharedTable: true },
      { topic: { pattern: wholeNames('crm.*', []), text: 'crm.*' } },
    )
    expect(topics.check(['kept'])).toEqual(['kept'])
    said.length = 0
    expect(topics.check(['crm-a', 'crm.a', 'crm.b', 'kept', 'shop.kept'])).toEqual(['crm.b', 'kept'])
    expect(said.map((line) => line.replace(/(?<=\.) .*/, ''))).toEqual([
      'topic.tables-meet: This process does not read the new topic "crm-a".',
      'topic.tables-meet: This process does not read the new topic "crm.a".',
      'table.chosen: Topic "crm.b" goes to table "p_crm_b": one row per id, newest arrival.',
      'topic.unstorable: This process does not read the new topic "shop.kept".',
    ])
  })

  it('is one even where there was none at first', () => {
    const { topics } = topicsOf({ topic: pattern })
    expect(topics.check([])).toEqual([])
    expect(topics.check(['shop-a', 'shop.a', 'shop.b'])).toEqual(['shop.b'])
  })
})
