import { expect, test } from 'vitest'
import { LineTooLong } from './line-too-long.ts'

test('says which line and what limit', () => {
  const error = new LineTooLong(7, 100)
  expect([error.name, error.line, error.limit, error.message]).toEqual([
    'LineTooLong',
    7,
    100,
    'line 7 is longer than 100 bytes',
  ])
})
