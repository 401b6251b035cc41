import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { repeatedName } from './repeated-name.ts'

it.each([
  ['{"a":1,"a":2}', 1, 'a'],
  ['{"a":1,\n "b":[{"a":1}, {"a":2}],\n "\\u0061" : 2}', 3, 'a'],
  ['{"x":{"client_id":1,\n"client_id":1}}', 2, 'client_id'],
  ['{"":1,"":1}', 1, ''],
])('%j has in line %i once more %j', (text, line, name) => {
  expect(repeatedName(text)).toEqual({ line, name })
})

it.each([
  '{}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":["a","a"],"A":{"a":{"a":1}}}',
  String.raw`{"a":"\",\"a\":\\","b":"{","c":1}`,
])('%j has none', (text) => {
  expect(repeatedName(text)).toBeUndefined()
})

it('is in nothing that JSON.stringify wrote', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(2), (text, indent) => {
      expect(repeatedName(JSON.stringify(JSON.parse(text), undefined, indent))).toBeUndefined()
    }),
  )
})
