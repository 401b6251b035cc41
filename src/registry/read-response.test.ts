import { expect, it } from 'vitest'
import { errorCode, readSchema } from './read-response.ts'

it('a schema is read with what it refers to, whatever else is there', () => {
  const reference = { name: 'A', subject: 'a', version: 3, more: 1 }
  const body = { schema: '"int"', schemaType: 'JSON', references: [reference], id: 'x', metadata: null }
  expect(readSchema(JSON.stringify(body))).toMatchObject({
    type: 'JSON',
    text: '"int"',
    references: [{ name: 'A', subject: 'a', version: 3 }],
    rules: [],
  })
})

it.each([
  [{ schema: '"int"' }],
  [{ schema: '"int"', schemaType: null, references: null, ruleSet: null }],
  [{ schema: '"int"', ruleSet: 'nonsense' }],
  [{ schema: '"int"', ruleSet: { domainRules: [{ type: 5 }] } }],
])('Avro goes without saying: %j', (body) => {
  expect(readSchema(`\uFEFF${JSON.stringify(body)}`)).toEqual({
    type: 'AVRO',
    text: '"int"',
    references: [],
    rules: [],
  })
})

it('rules count that a reader would have to apply, each once', () => {
  const domainRules = [
    { type: 'ENCRYPT', mode: 'WRITEREAD' },
    { type: 'ENCRYPT', mode: 'READ' },
    { type: 'CEL', mode: 'WRITE' },
    { type: 'JSONATA', mode: 'READ', disabled: true },
  ]
  const encodingRules = [{ type: 'ENCRYPT_PAYLOAD', mode: 'WRITEREAD', disabled: false }]
  const body = JSON.stringify({ schema: '', ruleSet: { domainRules, encodingRules } })
  expect(readSchema(body)?.rules).toEqual(['ENCRYPT', 'ENCRYPT_PAYLOAD'])
})

it.each([
  '',
  '[]',
  'null',
  '{}',
  '{"schema":{}}',
  '{"schema":"a","references":{}}',
  '{"schema":"a","references":[{"name":"a","subject":"b","version":"1"}]}',
  '{"schema":"a","schemaType":5}',
  '<html>',
])('is no schema: %s', (body) => {
  expect(readSchema(body)).toBeUndefined()
})

it.each([
  ['{"error_code":40403,"message":"x"}', 40_403],
  ['{"error_code":404}', undefined],
  ['{"error_code":0}', undefined],
  ['{"error_code":"40403"}', undefined],
  ['[]', undefined],
  ['null', undefined],
  ['404 page not found', undefined],
])('says why in its own code: %s', (body, code) => {
  expect(errorCode(body)).toBe(code)
})
