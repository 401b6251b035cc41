import { expect, it } from 'vitest'
import { assertSameRows, canonical, keyedBy, keyedByRawId, newest, parse, type Data } from './rows.ts'

const rows = (text: string): Data[] => parse(text) as Data[]
const ID = '1e0d1b9c-0000-8000-8000-000000000000'

it.each([
  ['9007199254740993', '9007199254740992'],
  ['1', '1.0'],
  ['1', '"1"'],
  ['1', 'true'],
  ['null', '"null"'],
  ['{"a":null}', '{}'],
  ['[1,2]', '[2,1]'],
  ['{"a":{"b":1}}', '{"a":{"b":2}}'],
  ['"float 1"', '1.0'],
])('%s is not %s', (a, b) => {
  expect(canonical(parse(a))).not.toBe(canonical(parse(b)))
})

it.each([
  ['{"a":1,"b":[2.50]}', '{ "b": [2.5], "a": 1 }'],
  ['"\\u00e9"', '"é"'],
  ['1E2', '100.0'],
  ['5e-324', '4.9406564584124654e-324'],
])('%s is %s', (a, b) => {
  expect(canonical(parse(a))).toBe(canonical(parse(b)))
})

it('compares rows in any order, each as often as it is there', () => {
  expect(() => assertSameRows(rows('[{"a":1},{"a":2}]'), rows('[{"a":2},{"a":1}]'), 't')).not.toThrow()
  expect(() => assertSameRows(rows('[{"a":1},{"a":1}]'), rows('[{"a":1}]'), 't')).toThrow(
    'table t: 2 rows (+), 1 expected (-), 1 differ:\n+ {"a":1}',
  )
  expect(() => assertSameRows(rows('[{"a":1},{"a":1},{"a":2}]'), rows('[{"a":1},{"a":2},{"a":2}]'), 't')).toThrow()
})

it('keeps the newest of each key', () => {
  const records = rows('[{"id":1,"v":1},{"id":"1","v":2},{"id":1,"v":3}]')
  expect(newest(records, ['id'])).toEqual(rows('[{"id":1,"v":3},{"id":"1","v":2}]'))
})

it('demands the keys of a mode', () => {
  expect(keyedBy(['id'], rows('[{"keys":["id"],"id":1}]'))).toEqual(rows('[{"id":1}]'))
  expect(() => keyedBy(['id'], rows('[{"keys":["other"],"id":1}]'))).toThrow()
  const row = `{"keys":["_airbyte_raw_id"],"_airbyte_raw_id":"${ID}","_airbyte_raw_id_":"own","a":1}`
  expect(keyedByRawId(rows(`[${row}]`))).toEqual(rows('[{"_airbyte_raw_id":"own","a":1}]'))
  expect(() => keyedByRawId(rows(`[${row},${row}]`))).toThrow('one row')
  expect(() => keyedByRawId(rows(`[${row.replace(ID, 'x')}]`))).toThrow()
})
