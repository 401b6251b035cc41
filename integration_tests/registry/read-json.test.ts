import { assert, jsonValue, property } from 'fast-check'
import { expect, it } from 'vitest'
import { readJson, type Json } from './read-json.ts'

it('reads what is written', () => {
  const written = (value: Json): string => {
    if (value instanceof Map)
      return `{${Array.from(value as ReadonlyMap<string, Json>, ([name, one]) => `${JSON.stringify(name)}:${written(one)}`).join(',')}}`
    if (Array.isArray(value)) return `[${(value as readonly Json[]).map(written).join(',')}]`
    if (typeof value === 'object' && value !== null) return (value as { number: string }).number
    return JSON.stringify(value)
  }
  assert(
    property(jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value)
      expect(written(readJson(text))).toBe(text)
      expect(written(readJson(JSON.stringify(value, undefined, 2)))).toBe(text)
    }),
    { numRuns: 50 },
  )
})

it('keeps digits, and names that begin with an escape', () => {
  readJson(String.raw`{"q":1,"\\":1}`)
  expect(readJson(String.raw`{"q":1.10,"\u005c":12345678901234567890,"\r":-0,"__proto__":"\ud83d\ude00"}`)).toEqual(
    new Map<string, Json>([
      ['q', { number: '1.10' }],
      ['\\', { number: '12345678901234567890' }],
      ['\r', { number: '-0' }],
      ['__proto__', '😀'],
    ]),
  )
})

it.each([
  '',
  '{',
  '[1,]',
  '{"a":1,}',
  '{"a":1,"\\u0061":2}',
  '{1:2}',
  '01',
  '1.',
  'NaN',
  '"a',
  '"\n"',
  "'a'",
  '1 2',
  '"\\x"',
])('refuses %j', (text) => {
  expect(() => readJson(text)).toThrow(SyntaxError)
})
