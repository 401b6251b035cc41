import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { oneLine } from './one-line.ts'

test('whatever is in it, it is one line for every reader and the same value', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\r', '\u0085', '\u2028', '\u2029', '😀') })
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const line = oneLine(value)
      expect(line).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
      expect(Object.entries(JSON.parse(line) as object)).toEqual(Object.entries(value))
    }),
  )
})
