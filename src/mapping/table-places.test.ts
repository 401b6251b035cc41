import { expect, test } from 'vitest'
import { placeStreams } from './table-places.ts'
import { factsOf, overrideFor, UNTOUCHED } from './test-facts.ts'

const problemOf = (name: string, rejectedTable: string | undefined, more = {}): string | undefined =>
  placeStreams([factsOf({ name })], { ...UNTOUCHED, rejectedTable, ...more })[0]!.problem

test.each([
  ['rejected_records', undefined],
  ['Rejected_Records', undefined],
  ['rejected records', undefined],
  ['rejected_records', 'bad'],
  ['bad', 'bad'],
  ['BAD', 'bad'],
  ['bad', 'Bad'],
])('a stream %s cannot have the table of rejected records when that is %s', (name, rejected) => {
  expect(problemOf(name, rejected)).toMatch(/kept for rejected records; choose another: streams: \[\{"name":/)
})

test('a name one can choose, one is told to choose', () => {
  expect(problemOf('bad', 'bad')).toContain('rejected_table')
  expect(problemOf('rejected_records', 'bad')).not.toContain('rejected_table')
})

test('any other name goes, and the stream’s own choice counts', () => {
  expect(problemOf('bad', undefined)).toBeUndefined()
  expect(problemOf('bad', 'rejected_records')).toBeUndefined()
  expect(problemOf('bad', 'p_bad', { prefix: 'p_' })).toContain('"p_bad"')
  const streams = (table: string) => ({ streams: [{ ...overrideFor({ table }), name: 'bad' }] })
  expect(problemOf('bad', 'bad', streams('good'))).toBeUndefined()
  expect(problemOf('bad', 'worse', streams('Worse'))).toContain('"Worse"')
})
