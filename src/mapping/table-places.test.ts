import * as fc from 'fast-check'
import { expect, test, describe, it } from 'vitest'
import type { TablesConfig, StreamOverride } from '../config/write/write-load.ts'
import { mapEachStream } from './map-streams.ts'
import { placeStreams, overrideOf, unusedOverrides } from './table-places.ts'
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
  expect(problemOf(name, rejected)).toMatch(/reserved for rejected records; choose another: streams: \[\{"name":/)
})

test('a name one can choose, one is told to choose', () => {
  expect(problemOf('bad', 'bad')).toContain('another table for rejected_records')
  expect(problemOf('rejected_records', 'bad')).not.toContain('another table for rejected_records')
})

test('any other name goes, and the stream’s own choice counts', () => {
  expect(problemOf('bad', undefined)).toBeUndefined()
  expect(problemOf('bad', 'rejected_records')).toBeUndefined()
  expect(problemOf('bad', 'p_bad', { tablePrefix: 'p_' })).toContain('"p_bad"')
  const streams = (table: string) => ({ streams: [{ ...overrideFor({ table }), name: 'bad' }] })
  expect(problemOf('bad', 'bad', streams('good'))).toBeUndefined()
  expect(problemOf('bad', 'worse', streams('Worse'))).toContain('"Worse"')
})

test.each<[string, string, string | undefined, Partial<TablesConfig>, string]>([
  ['the name of the object alone', 'contacts', 'crm', {}, 'contacts'],
  ['with the prefix in front', 'contacts', 'crm', { tablePrefix: 'p_' }, 'p_contacts'],
  ['each other character one _', 'My Contacts, é😀', undefined, {}, 'My_Contacts____'],
  ['hashed if it was changed', 'my contacts', undefined, { tableNames: 'hashed' }, 'my_contacts_ad289d'],
  ['and not otherwise', 'contacts', 'crm', { tableNames: 'hashed' }, 'contacts'],
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
  const problems = placeStreams(facts, UNTOUCHED).map(({ problem, clash }) => problem ?? clash)
  expect(problems[0]).toMatch(
    /^Streams "a" and "Contacts" share the table "contacts".*another table: streams: \[\{"name":"a"[^ ]*$/,
  )
  expect(problems[1]).toBe(problems[0])
  expect(problems[2]).toContain('"Rejected_records", a name reserved for rejected records')
  expect(problems[3]).toMatch(/share the table "x_y".*or set table_names: hashed\.$/)
  expect(placeStreams(facts.slice(3), { ...UNTOUCHED, tableNames: 'hashed' }).map(({ clash }) => clash)).toEqual([
    undefined,
    undefined,
  ])
})

const NAMED = overrideFor({ table: 'named' })
const IN_A = overrideFor({ namespace: 'a', table: 'in_a' })

describe('overrideOf', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['orders', undefined, 'named'],
    ['orders', 'a', 'in_a'],
    ['orders', 'b', 'named'],
    ['orders', 'A', 'named'],
    ['Orders', undefined, undefined],
    ['order', 'a', undefined],
  ])('of %s in namespace %s is %s', (name, namespace, table) => {
    for (const overrides of [
      [NAMED, IN_A],
      [IN_A, NAMED],
    ])
      expect(overrideOf({ name, namespace }, overrides)?.table).toBe(table)
  })

  it('of another namespace holds for no other stream', () => {
    expect(overrideOf({ name: 'orders', namespace: undefined }, [IN_A])).toBeUndefined()
    expect(overrideOf({ name: 'orders', namespace: 'b' }, [IN_A])).toBeUndefined()
  })

  it('is one whole entry: the nearer one hides what the wider one says', () => {
    const wide = overrideFor({ keepLast: false, table: 'wide' })
    const near = overrideFor({ namespace: 'a', table: 'near' })
    expect(overrideOf({ name: 'orders', namespace: 'a' }, [wide, near])?.keepLast).toBe(true)
  })
})

describe('unusedOverrides', () => {
  it.each<[string, StreamOverride[], number]>([
    ['none', [], 0],
    ['one that fits', [NAMED], 0],
    ['one of a name nobody has', [overrideFor({ name: 'ordres' })], 1],
    ['one of a namespace nobody has', [NAMED, overrideFor({ namespace: 'z' })], 1],
    ['one that is hidden by nearer ones', [NAMED, IN_A, overrideFor({ namespace: 'b' })], 0],
  ])('of %s', (_what, overrides, count) => {
    const streams = [undefined, 'a', 'b'].map((namespace) => ({ name: 'orders', namespace }))
    expect(unusedOverrides(streams, overrides)).toHaveLength(count)
  })

  it('tells a name that nobody takes, as it was written', () => {
    const near = unusedOverrides([{ name: 'sales_orders', namespace: 'n' }], [overrideFor({ name: 'Sales Orders' })])
    expect(near[0]).toMatch(/matches no stream of this catalog\. It has "sales_orders": did you mean that\?$/)
    const [warning] = unusedOverrides([], [overrideFor({ name: 'a"\n', namespace: 'n' })])
    expect(warning).toContain(String.raw`"a\"\n" of namespace "n"`)
  })

  it('names exactly those that no stream takes', () => {
    const name = fc.constantFrom('x', 'y')
    const namespace = fc.constantFrom(undefined, 'a', 'b')
    const stream = fc.record({ name, namespace })
    const selector = ({ name, namespace }: { name: string; namespace: string | undefined }): string =>
      `${namespace}.${name}`
    fc.assert(
      fc.property(fc.uniqueArray(stream, { selector }), fc.uniqueArray(stream, { selector }), (streams, entries) => {
        const overrides = entries.map((entry) => overrideFor(entry))
        const taken = overrides.filter((override) => streams.some((each) => overrideOf(each, overrides) === override))
        expect(unusedOverrides(streams, overrides)).toHaveLength(overrides.length - taken.length)
      }),
    )
  })
})

describe('an override', () => {
  const of = (override: Partial<StreamOverride>, facts: Parameters<typeof factsOf>[0] = {}) =>
    mapEachStream([factsOf(facts)], { ...UNTOUCHED, tablePrefix: 'p_', streams: [overrideFor(override)] })[0]!

  it('of the table is the whole name, whatever prefix and hashing would do', () => {
    expect(of({ table: 'Other' }).mapping!.table.name).toBe('Other')
    const hashed = mapEachStream([factsOf({ name: 'a b' })], {
      ...UNTOUCHED,
      tableNames: 'hashed',
      streams: [overrideFor({ name: 'a b', table: 'ab' })],
    })
    expect(hashed[0]!.mapping!.table.name).toBe('ab')
    expect(of({ table: 'REJECTED_records' }).refused).toContain('reserved for rejected records')
  })

  it('of keep_last reaches the table', () => {
    expect(
      [of({}), of({ keepLast: true }), of({ keepLast: false })].map(({ mapping }) => mapping!.table.keepLast),
    ).toEqual([true, true, false])
    expect(of({ keepLast: false }).mapping!.words).toContain('every version')
  })

  it('of the keys takes the place of the catalog’s', () => {
    const keys = [
      { path: ['a', 'b'], field: 'ab' },
      { path: ['c'], field: undefined },
    ]
    expect(of({ keys }, { sourceDefinedPrimaryKey: [['s']] }).mapping!.key.map(({ field }) => field)).toEqual([
      'ab',
      'c',
    ])
    expect(of({ keys }, { primaryKey: [] }).mapping!.key).toHaveLength(2)
  })

  it.each<[Partial<StreamOverride>, Parameters<typeof factsOf>[0], string]>([
    [{ keys: [{ path: ['x'], field: undefined }] }, { destinationSyncMode: 'append' }, 'keys has no effect'],
    [{ keepLast: false }, { destinationSyncMode: 'append' }, 'keep_last: false has no effect'],
    [{ identicalRecords: 'collapse' }, {}, 'identical_records: collapse has no effect'],
  ])('%j that can do nothing is a warning', (override, facts, words) => {
    expect(of(override, facts).mapping!.warnings.join()).toContain(words)
  })

  it.each<[Partial<StreamOverride>, Parameters<typeof factsOf>[0]]>([
    [{ keys: [{ path: ['x'], field: undefined }] }, {}],
    [{ keepLast: false }, {}],
    [{ keepLast: true, identicalRecords: 'keep', olderRows: 'keep' }, { destinationSyncMode: 'append' }],
    [{ identicalRecords: 'collapse' }, { destinationSyncMode: 'append' }],
  ])('%j that does something, or says what holds anyway, is none', (override, facts) => {
    expect(of(override, facts).mapping!.warnings).toEqual([])
  })

  it.each<['history' | 'upsert', 'history' | 'upsert' | undefined, string]>([
    ['history', undefined, 'record'],
    ['upsert', undefined, 'keys'],
    ['history', 'upsert', 'keys'],
    ['upsert', 'history', 'record'],
  ])('of append_with_primary_key %s by %s: a row is told by %s', (all, one, row) => {
    const override = overrideFor({ appendWithPrimaryKey: one })
    for (const key of [{ primaryKey: [['id']] }, { primaryKey: [], sourceDefinedPrimaryKey: [['id']] }])
      for (const destinationSyncMode of ['append', 'overwrite']) {
        const facts = factsOf({ destinationSyncMode, ...key })
        const options = { ...UNTOUCHED, appendWithPrimaryKey: all, streams: [override] }
        expect(mapEachStream([facts], options)[0]!.mapping!.row).toBe(row)
      }
    const keyless = factsOf({ destinationSyncMode: 'append', primaryKey: [] })
    const [mapped] = mapEachStream([keyless], { ...UNTOUCHED, appendWithPrimaryKey: all, streams: [override] })
    expect(mapped!.mapping!.row).toBe('record')
    const dedup = mapEachStream([factsOf({})], { ...UNTOUCHED, appendWithPrimaryKey: all, streams: [override] })
    expect(dedup[0]!.mapping!.row).toBe('keys')
  })
})
