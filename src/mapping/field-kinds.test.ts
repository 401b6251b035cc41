import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecordData } from '../json/record-data.ts'
import { Scanner } from '../json/scanner.ts'
import { FieldKinds } from './field-kinds.ts'

function seenOf(records: Iterable<string>, declared: readonly string[] = []): FieldKinds {
  const [kinds, data, scanner] = [new FieldKinds(declared), new RecordData(), new Scanner(8)]
  for (const text of records) {
    const bytes = Buffer.from(text)
    data.locate(scanner, bytes, 0, bytes.length)
    kinds.see(data)
  }
  return kinds
}
const repeated = (count: number, of: (nth: number) => object): string[] =>
  Array.from({ length: count }, (_, nth) => JSON.stringify(of(nth)))
const namesOf = (kinds: FieldKinds): string[] => kinds.all!.names.map(({ name }) => name)

test('the kinds of each field are counted, whatever its value and name', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue()), { maxLength: 20 }), (records) => {
      const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
      const { all } = seenOf(
        records.map((record) => JSON.stringify(record)),
        names,
      )
      expect(all?.sampled ?? 0).toBe(records.length)
      for (const { name, kinds } of all?.names ?? []) {
        const values = records.filter((record) => Object.hasOwn(record, name)).map((record) => record[name])
        const kindOf = (value: unknown): string =>
          value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
        for (const [kind, count] of Object.entries(kinds))
          expect(count).toBe(values.filter((value) => kindOf(value) === kind).length)
      }
      expect(all?.names.map(({ name }) => name).toSorted() ?? []).toEqual(names.toSorted())
    }),
    { numRuns: 200 },
  )
})

test('of many records the first thousand are looked at, then one in 64', () => {
  const { sampled, names } = seenOf(repeated(1000 + 6400, () => ({ id: 1 }))).all!
  expect(sampled).toBeGreaterThanOrEqual(1100)
  expect(sampled).toBeLessThanOrEqual(1101)
  expect(names).toMatchObject([{ name: 'id', records: sampled, kinds: { number: sampled, string: 0 } }])
})

test('a name that may be data is only counted', () => {
  const long = 'x'.repeat(201)
  const records = repeated(10, (nth) => ({ id: nth, [`canary-${nth}`]: 1, [long]: 2, ...(nth > 0 ? { nine: 1 } : {}) }))
  const kinds = seenOf(records, ['declared'])
  expect(namesOf(kinds)).toEqual(['id'])
  expect(kinds.all!.others).toBe(10 + 10 + 9)
  expect(namesOf(seenOf(records, ['nine', 'canary-3']))).toEqual(['id', 'nine', 'canary-3'])
})

test('a record that has a field several times counts once', () => {
  const twice = '{"id":1,"mail":null,"mail":"a","id":2}'
  const { names, others } = seenOf([twice, twice], ['id', 'mail']).all!
  expect(names).toMatchObject([
    { name: 'id', records: 2, kinds: { number: 2 } },
    { name: 'mail', records: 2, kinds: { null: 2, string: 0 } },
  ])
  expect(others).toBe(0)
  expect(namesOf(seenOf([`{"id":1${',"canary":1'.repeat(10)}}`], ['id']))).toEqual(['id'])
})

test('it takes no more memory however many names there are, and lists 500', () => {
  const wide = Object.fromEntries(Array.from({ length: 900 }, (_, nth) => [`f${nth}`, nth]))
  const kinds = seenOf(
    [...repeated(20, () => wide), ...repeated(900, (nth) => ({ [`g${nth}`]: 1, late: 1, declared: 1 }))],
    ['declared'],
  )
  expect(kinds.all!.names).toHaveLength(500)
  expect(namesOf(kinds)[0]).toBe('declared')
  expect(seenOf([]).all).toBeUndefined()
})
