import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactOf, fenceOf } from '../core/key.ts'
import type { Key } from '../core/types.ts'
import type { CatalogStream } from './stream-mapping.ts'
import { mapping, recordDataOf } from './testing/records.ts'

const map = (
  over: Partial<CatalogStream>,
  data: string,
  emittedAt?: string,
): { point?: string; key?: unknown; rejected?: string } => mapping(over)(recordDataOf(data, emittedAt))

describe('a keyed point', () => {
  it.each([
    ['{"id":7,"a":1.10}', '{"keys":["id"],"id":7,"a":1.10}', 7],
    [
      String.raw`{ "a" : [1, 2] , "id" : "x\u0041" }`,
      String.raw`{"keys":["id"], "a" : [1, 2] , "id" : "x\u0041" }`,
      '"xA',
    ],
    ['{"id":true}', '{"keys":["id"],"id":true}', 'true'],
    ['{"id":""}', '{"keys":["id"],"id":""}', '"'],
    [String.raw`{"\u0069d":5}`, String.raw`{"keys":["id"],"\u0069d":5}`, 5],
    ['{"id":9007199254740993}', '{"keys":["id"],"id":9007199254740993}', '9007199254740993e0'],
  ])('of %s keeps its bytes', (data, point, key) => {
    expect(map({}, data)).toEqual({ point, key })
  })

  it.each([
    ['{"a":1}', 'its key field "id" is missing'],
    ['{}', 'its key field "id" is missing'],
    ['{"id":null}', 'its key field "id" is null'],
    ['{"id":[1]}', 'its key field "id" is an array'],
    ['{"id":{}}', 'its key field "id" is an object'],
    ['{"id":1,"id":1}', 'its key field "id" occurs twice'],
    [String.raw`{"id":1,"i\u0064":2}`, 'its key field "id" occurs twice'],
    ['{"id":1,"keys":1,"keys":2}', 'the member "keys", a name the service reserves, occurs twice'],
    ['{"id":1,"keys":1,"keys_":2}', 'the member "keys" must be renamed "keys_", and there is a member of that name'],
  ])('is rejected: %s', (data, rejected) => {
    expect(map({}, data)).toEqual({ rejected })
  })

  it('renames a reserved member, also spelt with escapes, and lets an undistinguished double pass', () => {
    expect(map({}, String.raw`{"k\u0065ys":[1], "id":1,"a":1,"a":2}`).point).toBe(
      '{"keys":["id"],"keys_":[1], "id":1,"a":1,"a":2}',
    )
  })

  it('follows the rename of its key field', () => {
    expect(map({ primaryKey: [['keys']] }, '{"keys":3}')).toEqual({ point: '{"keys":["keys_"],"keys_":3}', key: 3 })
  })

  it('rejects what is nested too deep', () => {
    const deep = `{"id":1,"a":${'['.repeat(1024)}${']'.repeat(1024)}}`
    expect(map({}, deep).rejected).toContain('1,024')
    expect(map({}, `{"id":1,"a":${'['.repeat(1023)}${']'.repeat(1023)}}`).rejected).toBeUndefined()
  })

  it('rejects what has more than a million members', () => {
    const members = '"":0,'.repeat(999_999)
    expect(map({}, `{${members}"id":1}`).rejected).toBeUndefined()
    expect(map({}, `{${members}"id":1,"a":2}`).rejected).toBe('its data has more than 1,000,000 members')
  })

  it('tells fence from exact', () => {
    const keys = ['1', '1.0', '1e0', '"1"', '"1.0"', '-0', '0', '"-0"', '"x"', '"01"'].map((id) => {
      const key = map({}, `{"id":${id}}`).key as Key
      return [exactOf(key), fenceOf(key)]
    })
    expect(keys.map(([, fence]) => fence)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, '"x', '"01'])
    expect(new Set(keys.map(([exact]) => exact)).size).toBe(10)
  })

  it('has a composite key that no other list of fields shares', () => {
    const field = fc.oneof(
      fc.integer(),
      fc.string({ maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom('1', '1,', ':', '3:"', '"'),
    )
    const composite = mapping({ primaryKey: [['a'], ['b']] })
    const keyOf = (a: unknown, b: unknown): unknown => {
      const made = composite(recordDataOf(JSON.stringify({ b, a })))
      return 'point' in made ? exactOf(made.key as Key) : made.rejected
    }
    fc.assert(
      fc.property(field, field, field, field, (a, b, c, d) => {
        expect(keyOf(a, b) === keyOf(c, d)).toBe(Object.is(a, c) && Object.is(b, d))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a point of its own', () => {
  const append = { destinationSyncMode: 'append', primaryKey: [] }
  const idOf = (point: string): string => (JSON.parse(point) as Record<string, string>)['_airbyte_raw_id']!

  it('carries a UUIDv8 of the message', () => {
    const { point, key } = map(append, '{"a":1}')
    expect(key).toBeUndefined()
    expect(point).toBe('{"keys":["_airbyte_raw_id"],"_airbyte_raw_id":"a8036e87-b1ed-8f72-ad94-925f3f68acb5","a":1}')
  })

  it('takes empty data and renames its reserved members', () => {
    expect(Object.keys(JSON.parse(map(append, '{ }').point!) as object)).toEqual(['keys', '_airbyte_raw_id'])
    expect(map(append, '{"_airbyte_raw_id":"x","keys":1}').point).toMatch(/,"_airbyte_raw_id_":"x","keys_":1\}$/)
  })

  it('differs by stream, namespace, emitted_at and bytes', () => {
    const ids = [
      map(append, '{"a":1}'),
      map(append, '{"a": 1}'),
      map({ ...append, name: 'other' }, '{"a":1}'),
      map({ ...append, namespace: 'n' }, '{"a":1}'),
      map(append, '{"a":1}', '1700000000001'),
    ].map(({ point }) => idOf(point!))
    expect(new Set(ids).size).toBe(5)
  })
})

describe('older rows', () => {
  it('stop the run at the first record of a stream that wants them gone', () => {
    expect(() => map({ destinationSyncMode: 'overwrite' }, '{"id":1}')).toThrow(/older_rows: keep/)
  })

  it('are told apart by a column when they are kept', () => {
    const kept = (over: Partial<CatalogStream>, data: string, emittedAt?: string) =>
      mapping(over, { olderRows: 'keep' })(recordDataOf(data, emittedAt))
    const overwrite = { destinationSyncMode: 'overwrite' }
    expect(kept(overwrite, '{"_airbyte_extracted_at":5}', '17')).toMatchObject({
      point: expect.stringMatching(/","_airbyte_extracted_at":17,"_airbyte_extracted_at_":5\}$/),
    })
    expect(kept(overwrite, '{}', '')).toMatchObject({
      point: expect.stringMatching(/","_airbyte_extracted_at":null\}$/),
    })
    expect(kept({ generationId: 3, minimumGenerationId: 3 }, '{"id":1}')).toMatchObject({
      point: '{"keys":["id"],"_airbyte_generation_id":3,"id":1}',
    })
  })
})
