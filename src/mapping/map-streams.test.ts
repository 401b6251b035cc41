import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TablesConfig } from '../config/write/write-load.ts'
import { mapEachStream, mapStreams } from './map-streams.ts'
import type { CatalogStream } from './stream-mapping.ts'
import { factsOf, overrideFor, UNTOUCHED } from './testing/facts.ts'

const map = (...streams: Partial<CatalogStream>[]) => mapStreams(streams.map(factsOf), UNTOUCHED)

describe('mapStreams', () => {
  it.each([
    [{ primaryKey: [['a'], ['b'], ['a']] }, ['a', 'b']],
    [{ primaryKey: [], sourceDefinedPrimaryKey: [['s']] }, ['s']],
    [{ destinationSyncMode: 'append' }, []],
    [{ destinationSyncMode: 'overwrite' }, []],
  ])('%j has key fields %j', (over, keyFields) => {
    expect(map(over)[0]!.key.map(({ field }) => field)).toEqual(keyFields)
  })

  it('names every problem at once', () => {
    const wrong = [
      { name: 'a', destinationSyncMode: 'update' },
      { name: 'b', destinationSyncMode: undefined },
      { name: 'c', primaryKey: [] },
      { name: 'd', primaryKey: [['a', 'b']], declared: ['a_b'] },
      { name: 'e', minimumGenerationId: 1 },
      { name: 'f', generationId: 2, minimumGenerationId: 1 },
      { name: 'g', generationId: 2, minimumGenerationId: 3 },
      { name: 'Rejected_Records' },
      { name: 'same.name' },
      { name: 'SAME_name' },
    ]
    const thrown = (() => {
      try {
        map(...wrong)
        return ''
      } catch (error) {
        return String(error)
      }
    })()
    for (const { name } of wrong) expect(thrown).toContain(`"${name}"`)
  })

  it.each([
    ['update', 'the service can only write a row whether it exists or not'],
    ['soft_delete', 'the service can only write whole rows'],
    ['UPDATE', 'choose append_dedup or append.'],
  ])('refuses %s with the reason and the way out', (destinationSyncMode, reason) => {
    const [mapped] = mapEachStream([factsOf({ destinationSyncMode })], UNTOUCHED)
    expect(mapped!.refused).toMatch(new RegExp(`^its destination_sync_mode is "${destinationSyncMode}"[,;] .*`))
    expect(mapped!.refused).toContain(reason)
    expect(mapped!.refused).toMatch(/choose append_dedup/i)
  })

  it('says that an object name has no effect where an override names the table', () => {
    const warningsOf = (table: string): readonly string[] =>
      mapEachStream([factsOf({ objectName: 'contacts' })], { ...UNTOUCHED, streams: [overrideFor({ table })] })[0]!
        .mapping!.warnings
    expect(warningsOf('mine')).toEqual([expect.stringContaining('destination_object_name "contacts" has no effect')])
    expect(warningsOf('contacts')).toEqual([])
  })
})

describe('a table', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'A', 'a b', 'a_b', 'A_b', '数据', '---', 'a_a', 'records', '\ud800'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }),
  )
  const namespace = fc.oneof(fc.constantFrom(undefined, undefined, 'a', 'A', 'rejected'), fc.string({ minLength: 1 }))
  const stream = fc.record({ name, namespace }).map(factsOf)
  const selector = (facts: CatalogStream): string => JSON.stringify([facts.namespace, facts.name])
  const streams = fc.uniqueArray(stream, { minLength: 1, maxLength: 8, selector })
  const options: fc.Arbitrary<TablesConfig> = fc.record({
    tablePrefix: fc.constantFrom('', 'p_', 'ä', 'rejected_'),
    tableNames: fc.constantFrom('refuse', 'hashed'),
    appendWithPrimaryKey: fc.constant('history'),
    olderRows: fc.constant('refuse'),
    metadataColumns: fc.constant([]),
    streams: fc.constantFrom(undefined, 'a', 'own').map((table) => [overrideFor({ name: 'a', table })]),
    rejectedTable: fc.constant(undefined),
  })

  const tablesOf = (given: readonly CatalogStream[], chosen: TablesConfig): Map<string, string | undefined> =>
    new Map(mapEachStream(given, chosen).map(({ facts, mapping }) => [selector(facts), mapping?.table.name]))

  it('is the same, or is refused, in whatever order the streams come', () => {
    const shuffled = streams.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    )
    fc.assert(
      fc.property(shuffled, options, ([given, other], chosen) => {
        const [tables, others] = [tablesOf(given, chosen), tablesOf(other, chosen)]
        for (const facts of given) expect(others.get(selector(facts))).toBe(tables.get(selector(facts)))
      }),
      { numRuns: 500 },
    )
  })

  it('stays the same when other streams come or go: a stream is refused then, and never moved', () => {
    fc.assert(
      fc.property(streams, fc.nat(), options, (given, cut, chosen) => {
        const fewer = given.slice(0, cut % (given.length + 1))
        const [tables, few] = [tablesOf(given, chosen), tablesOf(fewer, chosen)]
        const of = (facts: CatalogStream): string | undefined => few.get(selector(facts))?.toLowerCase()
        for (const facts of fewer) {
          const table = tables.get(selector(facts))
          if (table !== undefined) expect(few.get(selector(facts))).toBe(table)
          // it may be refused only for one that came
          else if (of(facts) !== undefined) {
            const alone = (each: CatalogStream): string | undefined => tablesOf([each], chosen).get(selector(each))
            expect(given.slice(fewer.length).some((each) => alone(each)?.toLowerCase() === of(facts))).toBe(true)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('belongs to one stream only, compared without case, and is never the one of rejected records', () => {
    fc.assert(
      fc.property(streams, options, (given, chosen) => {
        const tables = [...tablesOf(given, chosen).values()].flatMap((table) =>
          table === undefined ? [] : [table.toLowerCase()],
        )
        expect(new Set(tables).size).toBe(tables.length)
        expect(tables).not.toContain('rejected_records')
      }),
      { numRuns: 500 },
    )
  })

  it('of many streams is told with a few of them, and with a way out that is one', () => {
    const many = Array.from({ length: 9 }, (_, index) => factsOf({ name: `a${'!?.,;:+-*'[index]!}` }))
    const [first] = mapEachStream(many, UNTOUCHED)
    expect(first!.refused).toContain('"a!", "a?", "a.", "a," and 5 more')
    expect(first!.refused).toContain('table_names: hashed')
    expect(first!.refused).toContain('streams: [{"name":"a!","table":"another_name"}]')
    expect(
      mapEachStream(many, { ...UNTOUCHED, tableNames: 'hashed' }).every(({ refused }) => refused === undefined),
    ).toBe(true)
    const cased = mapEachStream([factsOf({ name: 'orders' }), factsOf({ name: 'ORDERS' })], UNTOUCHED)
    expect(cased[0]!.refused).toContain('"ORDERS"')
    expect(cased[0]!.refused).not.toContain('hashed')
    const hashed = { ...UNTOUCHED, tableNames: 'hashed' } as const
    for (const tablePrefix of ['', 'raw_']) {
      const options = { ...hashed, tablePrefix }
      const still = mapEachStream([factsOf({ name: 'orders' }), factsOf({ name: 'ORDERS' })], options)
      expect(still[1]!.refused).toContain(
        '(table_names: hashed adds to altered names only, and these differ in case alone)',
      )
    }
    const two = mapEachStream([factsOf({ name: 'a_b' }), factsOf({ name: 'b', namespace: 'a' })], UNTOUCHED)
    expect(two[0]!.refused).toContain('"a_b" and "b" (namespace "a") share')
    expect(two[1]!.refused).toContain('streams: [{"name":"a_b","table"')
    const namesakes = [{ name: 'a' }, { name: 'a', namespace: 'n' }, { name: 'A' }].map(factsOf)
    // an entry for "a" would move its namesake too
    expect(mapEachStream(namesakes, UNTOUCHED)[0]!.refused).toContain('streams: [{"name":"A","table"')
    // six digits change neither of these
    const digits = mapEachStream([{ name: '数据' }, { name: 'T_8cf3b4' }].map(factsOf), UNTOUCHED)
    expect(digits[0]!.refused).not.toContain('hashed')
    const digitsToo = mapEachStream([{ name: '数据' }, { name: 'T_8cf3b4' }].map(factsOf), hashed)
    expect(digitsToo[0]!.refused).not.toContain('hashed')
  })
})
