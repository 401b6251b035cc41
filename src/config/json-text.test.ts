import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonFault, parseJsonObject } from './json-text.ts'
import { isJson } from '../json/testing/is-json.ts'

it.each([
  ['{"a":1,\n}', 2, 1, 'remove the comma before this }'],
  ['{"a":[1,]}', 1, 9, 'remove the comma before this ]'],
  ['a: 1\nb: 2', 1, 1, 'a JSON object begins with {; this looks like YAML, and only JSON is read here'],
  ['  \n ---', 2, 2, 'a JSON object begins with {; this looks like YAML, and only JSON is read here'],
  ['rubbish', 1, 1, 'a JSON object begins with {'],
  ['{"a":1,\n  // why\n"b":2}', 2, 3, 'JSON has no comments'],
  ["{'a':1}", 1, 2, 'use straight double quotes (") for strings'],
  ['{“a”:1}', 1, 2, 'use straight double quotes (") for strings'],
  ['{"a":True}', 1, 6, 'in JSON these are true, false and null'],
  ['{"a":1\n"b":2}', 2, 1, 'a comma is missing before it'],
  ['{"a":"x" "b":2}', 1, 10, 'a comma is missing before it'],
  ['{"a":1', 1, 7, 'the text ends too early'],
  ['{"a":', 1, 6, 'the text ends too early'],
  ['{"a":01}', 1, 6, ''],
  ['{"a":1}}', 1, 8, ''],
  ['{"a":1]', 1, 7, ''],
  ['{"a":"\t"}', 1, 7, ''],
  ['{a:1}', 1, 2, ''],
])('%j breaks at %i:%i: %s', (text, line, column, hint) => {
  expect(jsonFault(text)).toBe(`line ${line}, column ${column}${hint && `: ${hint}`}`)
})

it('agrees with JSON.parse on what JSON is', () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'null', ' ', '\n', '\\', '"', 'x'),
    {
      maxLength: 12,
    },
  )
  const texts = fc.oneof(
    pieces.map((them) => them.join('')),
    fc.json(),
    fc.json().map((text) => text.slice(0, -1)),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(jsonFault(text) === undefined).toBe(isJson(text))
    }),
    { numRuns: 2000 },
  )
})

it('takes a text of a megabyte', () => {
  expect(jsonFault(`{"a":"${'x'.repeat(1_000_000)}",}`)).toMatch(/: remove the comma before this }$/)
  expect(jsonFault('['.repeat(500_000))).toMatch(/: the text ends too early$/)
})

it.each([
  ['{"a":1,"a":2}', 1, 'a'],
  ['{"a":1,\n "b":[{"a":1}, {"a":2}],\n "\\u0061" : 2}', 3, 'a'],
  ['{"x":{"client_id":1,\n"client_id":1}}', 2, 'client_id'],
  ['{"":1,"":1}', 1, ''],
])('%j has in line %i once more %j', (text, line, name) => {
  expect(parseJsonObject(text)).toEqual({ problem: `holds \`${name}\` twice, again in line ${line}: remove one` })
})

it('finds no name twice in what JSON.stringify wrote', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(objects, fc.nat(2), (object, indent) => {
      const text = JSON.stringify(object, undefined, indent)
      expect(parseJsonObject(text)).toEqual({ object: JSON.parse(text) as unknown })
    }),
  )
})
