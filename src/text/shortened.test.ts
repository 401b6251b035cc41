import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a😀😀', 3, 'a\ufffd…'],
])('%j in %i characters is %j', (text, max, short) => {
  expect(shortened(text, max)).toBe(short)
})
