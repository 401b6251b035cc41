import { describe, expect, it } from 'vitest'
import { tableNameOf } from './table-name.ts'

describe('tableName', () => {
  it.each([
    [undefined, 'orders', 'orders', false],
    ['public', 'orders', 'public_orders', true],
    [undefined, 'Order Items', 'Order_Items', true],
    [undefined, 'a--b', 'a__b', true],
    [undefined, 'naïve', 'na_ve', true],
    [undefined, '😀x', '_x', true],
    [undefined, '数据', 't_1a0b44', true],
    [undefined, '---', 't_24d7d4', true],
    ['s p', 'x', 's_p_x', true],
  ])('of %j and %j is %j', (namespace, name, table, altered) => {
    const named = tableNameOf(namespace, name)
    expect(named.altered).toBe(altered)
    if (table.startsWith('t_')) expect(named.table).toMatch(/^t_[0-9a-f]{6}$/)
    else expect(named.table).toBe(table)
  })

  it('puts the prefix in front', () => expect(tableNameOf(undefined, 'orders', 'raw_').table).toBe('raw_orders'))
})
