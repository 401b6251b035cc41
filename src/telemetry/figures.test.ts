import { expect, test } from 'vitest'
import { counted, seconds, thousands } from './figures.ts'

test('counts', () => {
  expect([0, 999, 1000, 1234567, 12345678901234567890n].map(thousands)).toEqual([
    '0',
    '999',
    '1,000',
    '1,234,567',
    '12,345,678,901,234,567,890',
  ])
  expect([counted(1, 'batch', 'batches'), counted(0, 'batch', 'batches'), counted(1200, 'record')]).toEqual([
    '1 batch',
    '0 batches',
    '1,200 records',
  ])
})

test('spans', () => {
  expect([-5, 0, 999, 901_000, 3_600_000].map(seconds)).toEqual(['0 s', '0 s', '0 s', '901 s', '3,600 s'])
})
