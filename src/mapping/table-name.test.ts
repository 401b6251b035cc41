import { expect, it } from 'vitest'
import { tableNameOf } from './table-name.ts'

it.each([
  [undefined, 'orders', 'orders'],
  ['public', 'orders', 'public_orders'],
  [undefined, 'Order Items', 'Order_Items'],
  [undefined, 'a--b', 'a__b'],
  [undefined, 'naïve', 'na_ve'],
  [undefined, '😀x', '_x'],
  [undefined, '数据', 't_8cf3b4'],
  [undefined, '---', 't_38cc5d'],
  ['s p', 'x', 's_p_x'],
])('of %j and %j is %j, with a prefix in front', (namespace, name, table) => {
  expect(tableNameOf(namespace, name)).toBe(table)
  expect(tableNameOf(namespace, name, 'raw_')).toBe(`raw_${table}`)
})
