import { expect, test } from 'vitest'
import { splice } from './splice.ts'

test.each([
  [[], 'abcdef'],
  [[2, 4], 'abXYef'],
  [[3, 3], 'abcXYdef'],
  [[0, 1, 1, 2, 5, 6], 'XYXYcdeXY'],
  [[0, 6], 'XY'],
  [[6, 6], 'abcdefXY'],
])('ranges %j', (ranges, expected) => {
  const bytes = Buffer.from('abcdef')
  expect(Buffer.concat(splice(bytes, ranges, Buffer.from('XY'))).toString()).toBe(expected)
  expect(bytes.toString()).toBe('abcdef')
})
