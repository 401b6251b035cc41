import { expect, test } from 'vitest'
import { placeStreams } from './table-places.ts'
import type { TablesConfig } from '../config/write-config.ts'
import { factsOf, overrideFor, UNTOUCHED } from './testing/facts.ts'

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

test.each<[string, string, string | undefined, Partial<TablesConfig>, string]>([
  ['the name of the object alone', 'contacts', 'crm', {}, 'contacts'],
  ['with the prefix in front', 'contacts', 'crm', { prefix: 'p_' }, 'p_contacts'],
  ['each other character one _', 'My Contacts, é😀', undefined, {}, 'My_Contacts____'],
  ['hashed if it was changed', 'my contacts', undefined, { names: 'hashed' }, 'my_contacts_ad289d'],
  ['and not otherwise', 'contacts', 'crm', { names: 'hashed' }, 'contacts'],
  ['digits for a name without any letter', '数据', 'crm', {}, 't_8cf3b4'],
  ['not where an override names another', 'contacts', 'crm', { streams: [overrideFor({ table: 'mine' })] }, 'mine'],
  ['also where an override names none', 'contacts', 'crm', { streams: [overrideFor({ keepLast: false })] }, 'contacts'],
])('the table of a stream with an object name: %s', (_, objectName, namespace, over, table) => {
  const [place] = placeStreams([factsOf({ namespace, objectName })], { ...UNTOUCHED, ...over })
  expect(place).toMatchObject({ table, problem: undefined })
})

test('object names share no table, and none is that of rejected records', () => {
  const facts = [
    factsOf({ name: 'a', objectName: 'contacts' }),
    factsOf({ name: 'Contacts' }),
    factsOf({ name: 'b', objectName: 'Rejected records' }),
    factsOf({ name: 'c', objectName: 'x y' }),
    factsOf({ name: 'd', objectName: 'x-y' }),
  ]
  const problems = placeStreams(facts, UNTOUCHED).map(({ problem }) => problem)
  expect(problems[0]).toMatch(
    /share the table "contacts".*with "Contacts".*another table: streams: \[\{"name":"a"[^ ]*$/,
  )
  expect(problems[1]).toMatch(/share the table "Contacts".*with "a"/)
  expect(problems[2]).toContain('"Rejected_records", a name kept for rejected records')
  expect(problems[3]).toMatch(/share the table "x_y".*or set table_names: hashed\.$/)
  expect(placeStreams(facts.slice(3), { ...UNTOUCHED, names: 'hashed' }).map(({ problem }) => problem)).toEqual([
    undefined,
    undefined,
  ])
})
