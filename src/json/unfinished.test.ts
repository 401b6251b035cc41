import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnfinished } from './unfinished.ts'

const unfinished = (text: string | Uint8Array): boolean => isUnfinished(Buffer.from(text as string), 0)

test('every beginning of an object is unfinished, and the whole of it is not', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const whole = Buffer.from(JSON.stringify(value))
      for (let length = 1; length < whole.length; length++) expect(unfinished(whole.subarray(0, length))).toBe(true)
      expect(unfinished(whole)).toBe(false)
    }),
  )
})

test.each(['{"a":t', '{"a":tru', '[1,fals', '{"a":[nul', '{"a":-', '{"a":"\\u00', '  {'])('%j is', (text) => {
  expect(unfinished(text)).toBe(true)
})

test.each(['', '  ', '{t', '{"a":tx', '{"a":1}t', '{"a":trut', '{"a" t', '{"a":1}{', '{]'])('%j is not', (text) => {
  expect(unfinished(text)).toBe(false)
})
