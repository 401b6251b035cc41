import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapping, recordDataOf } from './testing/records.ts'

const nested = (...paths: string[][]) => mapping({ primaryKey: paths })
const deep = nested(['a', 'b', 'c'])

describe('a nested key', () => {
  it.each([
    ['{"a":{"b":{"c":1}}}', '1', 1],
    ['{"a":{"b":{"c":1.10}}}', '1.10', { exact: '#1.10', fence: '11e-1' }],
    [String.raw`{"a":{"b":{"c":"x\u0041\n"}}}`, String.raw`"x\u0041\n"`, '"xA\n'],
    [String.raw`{"\u0061":{"\u0062":{"\u0063":true}}}`, 'true', 'true'],
    ['{ "a" :\t{ "x" : {"b":{"c":9}} , "b" : { "c" : "é😀" , "d":[{}] } } , "c":null}', '"é😀"', '"é😀'],
    ['{"c":1,"b":{"c":2},"a":{"c":3,"b":{"b":4,"c":5,"a":{"b":{"c":6}}}}}', '5', 5],
    ['{"a":{"b":{"c":""}}}', '""', '"'],
    ['{"a":{"b":{"c":false},"x":1,"x":2},"y":1,"y":2}', 'false', 'false'],
  ])('of %s is %s, and the record keeps its bytes', (data, value, key) => {
    expect(deep(recordDataOf(data))).toEqual({ point: `{"keys":["a_b_c"],"a_b_c":${value},${data.slice(1)}`, key })
  })

  it.each([
    ['{}', 'is missing'],
    ['{"b":{"c":1},"c":1,"a.b.c":1}', 'is missing'],
    ['{"a":null}', 'is missing'],
    ['{"a":1}', 'is missing'],
    ['{"a":"b"}', 'is missing'],
    ['{"a":true}', 'is missing'],
    ['{"a":[{"b":{"c":1}}]}', 'is missing'],
    ['{"a":{}}', 'is missing'],
    ['{"a":{"b":null}}', 'is missing'],
    ['{"a":{"b":7}}', 'is missing'],
    ['{"a":{"b":[]}}', 'is missing'],
    ['{"a":{"b":{}}}', 'is missing'],
    ['{"a":{"b":{"C":1,"":2,"cc":3}}}', 'is missing'],
    ['{"a":{"b":{"c":null}}}', 'is null'],
    ['{"a":{"b":{"c":[1]}}}', 'is an array'],
    ['{"a":{"b":{"c":{"d":1}}}}', 'is an object'],
    ['{"a":{"b":{"c":1,"c":1}}}', 'occurs twice'],
    [String.raw`{"a":{"b":{"c":1,"\u0063":2}}}`, 'occurs twice'],
    ['{"a":{"b":{"c":1},"b":{"c":1}}}', 'occurs twice'],
    ['{"a":{"b":1,"b":{"c":1}}}', 'occurs twice'],
    ['{"a":{"b":{"c":1},"b":null}}', 'occurs twice'],
    ['{"a":{"b":{"c":1}},"a":{"b":{"c":1}}}', 'occurs twice'],
    [String.raw`{"a":{"b":{"c":1}},"\u0061":1}`, 'occurs twice'],
  ])('of %s is none: it %s', (data, reason) => {
    const made = deep(recordDataOf(data))
    expect(made).toEqual({ rejected: expect.stringContaining(reason) as string })
    expect(made).toEqual({ rejected: expect.stringContaining('"a') as string })
  })

  it('names the path that is at fault', () => {
    const two = nested(['a', 'b'], ['a', 'c'])
    expect(two(recordDataOf('{"a":{"b":1}}'))).toEqual({ rejected: 'its key field "a.c" is missing' })
    expect(two(recordDataOf('{"a":{"c":1,"b":{}}}'))).toEqual({ rejected: 'its key field "a.b" is an object' })
    const made = two(recordDataOf('{"a":{"c":"y","b":"x"}}'))
    expect(made).toMatchObject({ point: '{"keys":["a_b","a_c"],"a_b":"x","a_c":"y","a":{"c":"y","b":"x"}}' })
  })

  it.each([
    ['{"a":{"b":1},"a_b":2}'],
    ['{"a_b":null,"a":{"b":1}}'],
    [String.raw`{"a":{"b":1},"a\u005fb":2}`],
    [String.raw`{"\u0061\u005f\u0062":2,"a":{"b":1}}`],
  ])('of %s is refused its field: the record has one of its own', (data) => {
    expect(nested(['a', 'b'])(recordDataOf(data))).toEqual({ rejected: expect.stringContaining('"a_b"') as string })
  })

  it('may have a field that members have elsewhere', () => {
    const data = '{"a":{"b":1,"a_b":2},"x":{"a_b":3},"A_B":4,"a_b_":5}'
    expect(nested(['a', 'b'])(recordDataOf(data))).toMatchObject({ point: `{"keys":["a_b"],"a_b":1,${data.slice(1)}` })
  })

  it('goes together with a key at the top and with a renamed member', () => {
    const made = nested(['keys', 'id'], ['top'])(recordDataOf('{"keys": {"id": "k"} ,"top":2}'))
    expect(made).toEqual({
      point: '{"keys":["keys_id","top"],"keys_id":"k","keys_": {"id": "k"} ,"top":2}',
      key: '2:"k2,',
    })
  })

  it('is hoisted byte for byte, whatever stands around it', () => {
    const space = fc.stringMatching(/^[ \t\r]{0,3}$/)
    const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', ' ', 'é', '😀', 'long-name-of-a-member'), fc.string())
    const scalar = fc.oneof(
      fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
      fc.constantFrom('1e400', '-0', '1.0', '12345678901234567890.10', String.raw`"\ud800"`, String.raw`"\/\u0000"`),
    )
    const path = fc.array(name, { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(path, scalar, fc.infiniteStream(space), fc.jsonValue(), (names, value, spaces, other) => {
        fc.pre(value !== 'null' && !names.includes('keys'))
        const gap = (): string => spaces.next().value!
        const wrap = (inner: string, each: string): string =>
          `{${gap()}${JSON.stringify(each)}${gap()}:${gap()}${inner}${gap()},${gap()}${JSON.stringify(`${each}!`)}:${JSON.stringify(other)}}`
        const data = names.reduceRight(wrap, value)
        const field = names.join('_')
        fc.pre(field !== names[0] && field !== `${names[0]}!`)
        const made = nested(names)(recordDataOf(data))
        expect('point' in made ? made.point : made.rejected).toBe(
          `{"keys":[${JSON.stringify(field)}],${JSON.stringify(field)}:${value},${data.slice(1)}`,
        )
      }),
      { numRuns: 500 },
    )
  })

  it('may be as deep as data may be', () => {
    const names = Array.from({ length: 1024 }, () => 'n')
    const data = `${'{"n":'.repeat(1024)}5${'}'.repeat(1024)}`
    expect(nested(names)(recordDataOf(data))).toMatchObject({ key: 5 })
  })
})
