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
    [undefined, '数据', 't_8cf3b4', true],
    [undefined, '---', 't_38cc5d', true],
    ['s p', 'x', 's_p_x', true],
  ])('of %j and %j is %j', (namespace, name, table, altered) => {
    const named = tableNameOf(namespace, name)
    expect(named.altered).toBe(altered)
    expect(named.table).toBe(table)
  })

  it('puts the prefix in front', () => expect(tableNameOf(undefined, 'orders', 'raw_').table).toBe('raw_orders'))
})
