import { expect, it } from 'vitest'
import { differenceOf } from './same-json.ts'

it.each([
  ['{"a":1,"b":[null,true,"x"]}', ' {"b":[null,true,"\\u0078"], "a":1}'],
  ['9007199254740993', '9007199254740993'],
  ['10000000000000000000000', '1e22'],
  ['[0.1,1e+16,-0.0]', '[0.1,10000000000000000,-0]'],
  ['{"float32":0.10000000149011612}', '{"float32":0.1}'],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
])('%s is %s', (expected, actual) => {
  expect(differenceOf(expected, actual)).toBeUndefined()
})

it.each([
  ['9007199254740993', '9007199254740992', '$: expected 9007199254740993, found 9007199254740992'],
  ['9007199254740993', '9007199254740993.5', '$: expected 9007199254740993, found 9007199254740993.5'],
  ['1', '"1"', '$: expected 1, found "1"'],
  ['{"double":0.10000000149011612}', '{"double":0.1}', '$."double": expected 0.10000000149011612, found 0.1'],
  ['{"float32":0.5}', '{"float32":0.6}', '$."float32": expected 0.5, found 0.6'],
  ['0.0', '-0', '$: expected 0.0, found -0'],
  ['[1]', '[1,2]', '$: expected [{"number":"1"}], found [{"number":"1"},{"number":"2"}]'],
  ['{"a":[{"b":"c"}]}', '{"a":[{"b":"d"}]}', '$."a"[0]."b": expected "c", found "d"'],
  ['{"a":null}', '{}', '$."a" is missing'],
  ['{}', '{"__proto__":1}', '$."__proto__" should not be there: 1'],
  ['{"constructor":1}', '{}', '$."constructor" is missing'],
  ['null', '{}', '$: expected null, found []'],
])('%s is not %s', (expected, actual, difference) => {
  expect(differenceOf(expected, actual)).toBe(difference)
})

it('is not what is no JSON', () => {
  expect(differenceOf('1', 'NaN')).toBe('no JSON at 0: "NaN"')
})
