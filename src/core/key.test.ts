import { expect, test } from 'vitest'
import { exactOf, fenceOf } from './key.ts'

test.each([
  [1, 1, 1],
  ['a', 'a', 'a'],
  [{ exact: '1.0', fence: 1 }, '1.0', 1],
  [undefined, undefined, undefined],
])('%j is exactly %j behind fence %j', (key, exact, fence) => {
  expect([exactOf(key), fenceOf(key)]).toEqual([exact, fence])
})
