import { expect, test } from 'vitest'
import { declaredTypes } from './declared-types.ts'

const deep = (levels: number): unknown => {
  let schema: unknown = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { oneOf: [schema] }
  return schema
}

test.each([
  [{ type: 'string' }, ['string']],
  [{ type: ['null', 'string'] }, ['string']],
  [{ type: ['string', 'integer', 'null'] }, ['string', 'integer']],
  [{ type: 'number', airbyte_type: 'integer' }, ['integer']],
  [{ oneOf: [{ type: 'string' }, { type: ['null', 'object'] }] }, ['string', 'object']],
  [{ anyOf: [{ oneOf: [{ type: 'array' }] }, { type: 'array' }] }, ['array']],
  [{ $ref: 'WellKnownTypes.json#/definitions/Integer' }, ['Integer']],
  [{}, []],
  [true, []],
  [null, []],
  ['string', []],
  [{ type: 7, oneOf: 'x', anyOf: [null, 3] }, []],
  [deep(7), ['string']],
  [deep(10_000), []],
])('%#', (schema, types) => {
  expect(declaredTypes(schema)).toEqual(types)
})
