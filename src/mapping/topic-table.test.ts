import { expect, it } from 'vitest'
import { rowPerKey } from './key-fields.ts'
import { topicTableName, topicKeyFields, KeyShapes, prefixed } from './topic-table.ts'

it.each([
  ['orders', '', 'orders'],
  ['shop.public.orders', '', 'shop_public_orders'],
  ['shop-eu.public.Orders_2', 'k.', 'k_shop_eu_public_Orders_2'],
  ['a..b', '', 'a__b'],
])('the table of %s with the prefix "%s" is %s', (topic, prefix, table) => {
  expect(topicTableName(topic, prefix)).toBe(table)
})

it('is one of its own where no letter and no digit is left', () => {
  expect(topicTableName('---')).toMatch(/^t_[0-9a-f]{6}$/)
  expect(topicTableName('--')).not.toBe(topicTableName('---'))
})

it('hoists nested keys and follows a reserved name', () => {
  expect(topicKeyFields([['id'], ['customer', 'id'], ['keys'], ['id']])).toEqual([
    { path: ['id'], field: 'id' },
    { path: ['customer', 'id'], field: 'customer_id' },
    { path: ['keys'], field: 'keys_' },
  ])
})

it.each([
  [[]],
  [[[]]],
  [[['a'], ['a', 'b']]],
  [[['a_b'], ['a', 'b']]],
  [
    [
      ['a', 'b_c'],
      ['a_b', 'c'],
    ],
  ],
  [[['keys'], ['keys_']]],
  [[['__deleted']]],
  [[['_', 'deleted']]],
])('cannot form a key from %j', (paths) => {
  expect(topicKeyFields(paths)).toBe(undefined)
})

it('says what identifies a row', () => {
  expect(rowPerKey(['a', ''], true)).toBe('one row per a, "", newest arrival')
  expect(rowPerKey(['a_b'], false)).toBe('one row per a_b, newest arrival, every version sent')
})

it('keeps keys of different fields apart', () => {
  const shapes = new KeyShapes()
  expect(shapes.prefix(['a', 'b'])).toBe('')
  expect(shapes.prefix(['b', 'a'])).toBe('')
  expect(shapes.prefix(['a'])).toBe('["a"]')
  expect(shapes.prefix(['a', 'b'])).toBe('')
  expect(shapes.prefix(['a,b'])).not.toBe(shapes.prefix(['b,a']))
})

it('puts a prefix in front of both levels', () => {
  expect(prefixed(5, '')).toBe(5)
  expect(prefixed(undefined, '["a"]')).toBe(undefined)
  expect(prefixed(5, '["a"]')).toBe('["a"]5')
  expect(prefixed({ exact: '#1.0', fence: 1 }, '["a"]')).toEqual({ exact: '["a"]#1.0', fence: '["a"]1' })
})
