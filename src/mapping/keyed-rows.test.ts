import { describe, expect, it } from 'vitest'
import { KeyedRows } from './keyed-rows.ts'
import { emptySlot } from './stream-mapping.ts'
import { recordDataOf } from './testing/records.ts'
import { pointIn, newTopicTable } from './testing/topic-rows.ts'
import { topicKeyFields } from './topic-table.ts'

function deleted(paths: readonly (readonly string[])[], data: string): unknown {
  const table = newTopicTable()
  const rows = new KeyedRows('t', topicKeyFields(paths)!, table)
  const record = recordDataOf(data)
  const rejected = rows.read(record)
  if (rejected !== undefined) return rejected
  const slot = emptySlot(0)
  rows.mark(record, slot)
  expect(slot.table).toBe(table.table)
  expect(slot.key).toEqual(rows.key)
  return pointIn(slot)
}

describe('a deleted row', () => {
  it.each([
    [[['id']], '{"a":"secret","id":1,"__deleted":"true"}', '{"keys":["id"],"id":1,"__deleted":true}', 1],
    [
      [['b'], ['a', 'x']],
      '{ "a" : { "x" : 9007199254740993 , "y":1 } , "b":"é" }',
      '{"keys":["b","a_x"],"b":"é","a_x":9007199254740993,"__deleted":true}',
      '18:9007199254740993e02:"é',
    ],
    [[['keys']], '{"keys":true}', '{"keys":["keys_"],"keys_":true,"__deleted":true}', 'true'],
    [
      [['a"']],
      String.raw`{"a\u0022":1.0}`,
      String.raw`{"keys":["a\""],"a\"":1.0,"__deleted":true}`,
      { exact: '#1.0', fence: 1 },
    ],
  ])('is its key %j and the mark', (paths, data, point, key) => {
    expect(deleted(paths, data)).toEqual({ point, key })
  })

  it('has no key where none can be read', () => {
    expect(deleted([['id']], '{"id":null}')).toBe('its key field "id" is null')
    expect(deleted([['id']], '{"id":1,"id":1}')).toBe('its key field "id" occurs twice')
  })

  it('has the same key as the live row', () => {
    const table = newTopicTable()
    table.shapes.prefix(['other'])
    const rows = new KeyedRows('t', topicKeyFields([['id']])!, table)
    expect(rows.read(recordDataOf('{"id":5}'))).toBeUndefined()
    expect(rows.key).toBe('["id"]5')
  })
})
