import { expect, test } from 'vitest'
import { counted, elapsedText, secondsText, span, thousands } from './figures.ts'

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
  expect([-5, 0, 999, 901_000, 3_600_000].map(secondsText)).toEqual(['0 s', '0 s', '0 s', '901 s', '3,600 s'])
})

test('times in seconds, then in minutes', () => {
  expect([0, 99_900, 100_000, 3_600_000].map(elapsedText)).toEqual(['0.0 s', '99.9 s', '1 min 40 s', '60 min 0 s'])
})

test('limits', () => {
  expect([1000, 90_000, 60_000, 900_000, 901_500, 3_600_000, 7_200_000, 604_800_000].map(span)).toEqual([
    '1 s',
    '90 s',
    '60 s',
    '15 min',
    '901.5 s',
    '60 min',
    '2 h',
    '168 h',
  ])
})
