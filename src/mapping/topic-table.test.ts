import { expect, it } from 'vitest'
import { topicTableName } from './topic-table.ts'

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
