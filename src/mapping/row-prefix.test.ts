import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { overrideFor } from './testing/facts.ts'
import { mapping, recordDataOf } from './testing/records.ts'

const OF_SOURCE = ['_airbyte_extracted_at', '_airbyte_generation_id', '_airbyte_meta'] as const
const ALL = [...OF_SOURCE, '_loaded_at', '_run_id'] as const
const APPEND = { destinationSyncMode: 'append', primaryKey: [] }
const pointOf = (made: ReturnType<ReturnType<typeof mapping>>): string => ('point' in made ? made.point : made.rejected)

describe('the metadata columns', () => {
  it.each(['1700000000000', '1700000000000.0', '1.7e12', '-0', '"2026-01-01T00:00:00Z"', '1e400', 'true'])(
    'have emitted_at’s own text, %s',
    (emitted) => {
      const map = mapping({}, { metadataColumns: ['_airbyte_extracted_at'] })
      expect(pointOf(map(recordDataOf('{"id":1}', emitted)))).toBe(
        `{"keys":["id"],"_airbyte_extracted_at":${emitted},"id":1}`,
      )
    },
  )

  it('have null where there is no emitted_at, no generation', () => {
    const map = mapping({}, { metadataColumns: ['_airbyte_extracted_at', '_airbyte_generation_id'] })
    expect(pointOf(map(recordDataOf('{"id":1}', '')))).toBe(
      '{"keys":["id"],"_airbyte_extracted_at":null,"_airbyte_generation_id":null,"id":1}',
    )
  })

  it.each<[string, number | undefined, string]>([
    ['', undefined, '{"changes":[]}'],
    ['', 12, '{"sync_id":12,"changes":[]}'],
    ['{"changes":[ {"field":"é"} ],"x":1}', 12, '{"sync_id":12,"changes":[ {"field":"é"} ]}'],
    ['{"changes":null}', undefined, '{"changes":[]}'],
    ['{"changes":"no list"}', 0, '{"sync_id":0,"changes":[]}'],
    [String.raw`{"\u0063hanges":[1.0]}`, undefined, '{"changes":[1.0]}'],
    [
      '{ "changes" : [ { "field":"a" , "change":"NULLED", "reason":"é😀" } ] , "x":1}',
      undefined,
      '{"changes":[ { "field":"a" , "change":"NULLED", "reason":"é😀" } ]}',
    ],
    ['{"changes":[1],"changes":[2]}', undefined, '{"changes":[2]}'],
    ['{"changes":null,"changes":[2]}', undefined, '{"changes":[2]}'],
    ['{"changes":[2],"changes":null}', undefined, '{"changes":[]}'],
    ['{"changes":{}}', undefined, '{"changes":[]}'],
    ['{"x":{"changes":[1]}}', undefined, '{"changes":[]}'],
    ['{}', undefined, '{"changes":[]}'],
    [`{${'"m":{"changes":0},'.repeat(100)}"changes":[7]}`, undefined, '{"changes":[7]}'],
  ])('have the changes of %s, sync %s: %s', (meta, syncId, written) => {
    const map = mapping({ syncId }, { metadataColumns: ['_airbyte_meta'] })
    expect(pointOf(map(recordDataOf('{"id":1}', '5', meta)))).toBe(`{"keys":["id"],"_airbyte_meta":${written},"id":1}`)
  })

  it('stand behind the id and the hoisted keys, in the order the user wrote', () => {
    const keyed = mapping({ primaryKey: [['a', 'b']], generationId: 3 }, { metadataColumns: OF_SOURCE.toReversed() })
    expect(pointOf(keyed(recordDataOf('{"a":{"b":"k"}}', '9')))).toBe(
      '{"keys":["a_b"],"a_b":"k","_airbyte_meta":{"changes":[]},"_airbyte_generation_id":3,"_airbyte_extracted_at":9,"a":{"b":"k"}}',
    )
    const own = mapping({ ...APPEND, generationId: 0 }, { metadataColumns: OF_SOURCE })
    expect(pointOf(own(recordDataOf('{}', '9')))).toMatch(
      /^\{"keys":\["_airbyte_raw_id"\],"_airbyte_raw_id":"[0-9a-f-]{36}","_airbyte_extracted_at":9,"_airbyte_generation_id":0,"_airbyte_meta":\{"changes":\[\]\}\}$/,
    )
  })

  it('tell when the record was read, and by which run', () => {
    const map = mapping({}, { metadataColumns: ['_run_id', '_loaded_at'] })
    expect(pointOf(map(recordDataOf('{"id":1}')))).toBe(
      '{"keys":["id"],"_run_id":"run-1","_loaded_at":"1970-01-01T00:00:00.001Z","id":1}',
    )
  })

  it('leave the id of a row as it is', () => {
    const idOf = (columns: readonly (typeof ALL)[number][]): string =>
      /"_airbyte_raw_id":"([^"]+)"/.exec(
        pointOf(mapping(APPEND, { metadataColumns: columns })(recordDataOf('{"a":1}'))),
      )![1]!
    expect(idOf(ALL)).toBe(idOf([]))
  })

  it.each(ALL)('are reserved when they are in use, and only then: %s', (name) => {
    const data = `{"id":1,"${name}":"mine"}`
    expect(pointOf(mapping({}, {})(recordDataOf(data)))).toBe(`{"keys":["id"],${data.slice(1)}`)
    const renamed = pointOf(mapping({}, { metadataColumns: [name] })(recordDataOf(data)))
    expect(renamed.endsWith(`,"id":1,"${name}_":"mine"}`)).toBe(true)
    const escaped = data.replace('_airbyte', String.raw`\u005fairbyte`)
    expect(pointOf(mapping({}, { metadataColumns: [name] })(recordDataOf(escaped)))).toBe(renamed)
    const taken = mapping({}, { metadataColumns: [name] })(recordDataOf(`{"id":1,"${name}":1,"${name}_":2}`))
    expect(taken).toEqual({ rejected: expect.stringContaining(`"${name}_"`) as string })
    const twice = mapping({}, { metadataColumns: [name] })(recordDataOf(`{"id":1,"${name}":1,"${name}":2}`))
    expect(twice).toEqual({ rejected: expect.stringContaining('occurs twice') as string })
  })

  it('give way to no key: a key of such a name is renamed too', () => {
    const map = mapping({ primaryKey: [['_airbyte_meta']] }, { metadataColumns: ['_airbyte_meta'] })
    expect(map(recordDataOf('{"_airbyte_meta":7}'))).toEqual({
      point: '{"keys":["_airbyte_meta_"],"_airbyte_meta":{"changes":[]},"_airbyte_meta_":7}',
      key: 7,
    })
  })
})

describe('a head', () => {
  it('makes valid JSON of any names, values and columns, and nothing of the record is lost', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 })
    const columns = fc.subarray([...ALL])
    fc.assert(
      fc.property(name, name, columns, fc.jsonValue(), fc.nat(), (first, second, wanted, other, emitted) => {
        const taken = ['keys', ...ALL, `${first}_${second}`]
        fc.pre(!taken.includes(first) && first !== `${first}_${second}`)
        const data = { [first]: { [second]: emitted }, [`${first}!`]: other }
        const map = mapping({ primaryKey: [[first, second]] }, { metadataColumns: wanted })
        const text = JSON.stringify(data)
        const point = pointOf(map(recordDataOf(text, String(emitted))))
        const parsed = JSON.parse(point) as Record<string, unknown>
        expect(parsed['keys']).toEqual([`${first}_${second}`])
        expect(parsed[`${first}_${second}`]).toBe(emitted)
        for (const column of ALL) expect(column in parsed).toBe(wanted.includes(column))
        expect(point.endsWith(text.slice(1))).toBe(true)
      }),
    )
  })

  it('grows with what goes into it', () => {
    const map = mapping({ primaryKey: [['a', 'b']] }, { metadataColumns: ['_airbyte_meta'] })
    const [long, changes] = ['x'.repeat(65_000), JSON.stringify(Array.from({ length: 50_000 }, (_, index) => index))]
    const data = `{"a":{"b":"${long}"}}`
    expect(pointOf(map(recordDataOf(data, '1', `{"changes":${changes}}`)))).toBe(
      `{"keys":["a_b"],"a_b":"${long}","_airbyte_meta":{"changes":${changes}},${data.slice(1)}`,
    )
  })
})

describe('rows of their own', () => {
  const ids = (map: ReturnType<typeof mapping>, times: readonly string[], data = '{"a":1}'): string[] =>
    times.map((time) => /"_airbyte_raw_id":"([^"]+)"/.exec(pointOf(map(recordDataOf(data, time))))![1]!)

  it.each(['1700000000000', '', '1.5', '"text"'])(
    'are 1,000 of 1,000 equal records, the same 1,000 again (emitted_at %j)',
    (time) => {
      const times = Array.from({ length: 1000 }, () => time)
      const first = ids(mapping(APPEND), times)
      expect(new Set(first).size).toBe(1000)
      expect(ids(mapping(APPEND), times)).toEqual(first)
    },
  )

  it.each(['1700000000000', '', '1.5', '"text"'])(
    'have the same ids in whatever order different records come (emitted_at %j)',
    (time) => {
      const order = (datas: string[]): string[] => {
        const map = mapping(APPEND)
        return datas.flatMap((data) => ids(map, [time], data)).toSorted()
      }
      expect(order(['{"a":2}', '{"a":1}', '{"a":3}'])).toEqual(order(['{"a":1}', '{"a":3}', '{"a":2}']))
      // a message that is sent again in a run that begins later
      expect(order(['{"a":9}', '{"a":1}'])).toEqual(expect.arrayContaining(order(['{"a":1}'])))
    },
  )

  it('collapse: equal data is one row, whenever it was emitted, and its id is its key', () => {
    const streams = [overrideFor({ identicalRecords: 'collapse' })]
    const map = mapping(APPEND, { streams })
    const made = ['1', '2', '', '1'].map((time) => map(recordDataOf('{"a":1}', time)))
    const id = ids(mapping(APPEND, { streams }), ['7'])[0]!
    for (const one of made) expect(one).toEqual({ point: expect.stringContaining(id) as string, key: `"${id}` })
    expect(ids(map, ['1'], '{"a": 1}')).not.toEqual([id])
    const renamed = map(recordDataOf('{"keys":1,"_airbyte_raw_id":"x"}'))
    expect(renamed).toMatchObject({ key: expect.stringMatching(/^"[0-9a-f-]{36}$/) as string })
    expect(pointOf(renamed)).toContain((renamed as { key: string }).key.slice(1))
  })
})
