import { expect, test } from 'vitest'
import { meaningOf } from './statuses.ts'

const ALL = Array.from({ length: 1000 }, (_, status) => status)
const COLUMNS = ['upsert', 'check', 'onboarding', 'registry'] as const

function statusesOf(column: (typeof COLUMNS)[number], ...meanings: string[]): number[] {
  return ALL.filter((status) => meanings.includes(meaningOf(status, column)))
}

function hundred(from: number, without: readonly number[] = []): number[] {
  return Array.from({ length: 100 }, (_, index) => from + index).filter((status) => !without.includes(status))
}

test('any 2xx is done', () => {
  for (const column of ['upsert', 'check', 'onboarding'] as const)
    expect(statusesOf(column, 'done')).toEqual(hundred(200))
})

test.each(COLUMNS)('%s tries again after 408, 429 and 5xx, and after nothing else', (column) => {
  const without = column === 'registry' ? [501] : []
  expect(statusesOf(column, 'retry', 'retry?')).toEqual([408, 429, ...hundred(500, without)])
})

test('a status beyond 599 is never tried again, whoever asked', () => {
  for (const status of [0, 99, 199, 600, 999]) {
    expect(COLUMNS.map((column) => meaningOf(status, column))).toEqual(['unknown', 'unknown', 'unknown', 'answer'])
  }
})

test('an upsert: what speaks of records, of their number, and of a later time', () => {
  expect(statusesOf('upsert', 'refused')).toEqual([400, 422])
  expect(statusesOf('upsert', 'split')).toEqual([413])
  expect(statusesOf('upsert', 'later')).toEqual([409, 423, 425])
  expect(statusesOf('upsert', 'retry?')).toEqual([502, 504, 520, 522, 524])
})

test('onboarding: whatever may have been carried out all the same', () => {
  expect(statusesOf('onboarding', 'retry?')).toEqual(hundred(500))
  expect(statusesOf('onboarding', 'redirect?')).toEqual(hundred(300, [307, 308]))
  expect(statusesOf('onboarding', 'refused')).toEqual(hundred(400, [408, 429]))
})
