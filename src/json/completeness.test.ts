import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonPieces } from './completeness.ts'
import { isJson } from './testing/is-json.ts'

const unfinished = (text: string | Uint8Array): boolean => verdictOf(Buffer.from(text as string)) === 'unfinished'

const OBJECTS = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))

test('every beginning of an object is unfinished, and the whole of it is not', () => {
  fc.assert(
    fc.property(OBJECTS, fc.constantFrom(0, 1, 4), (value, indent) => {
      const whole = Buffer.from(JSON.stringify(value, null, indent))
      for (let length = 1; length < whole.length; length++) expect(unfinished(whole.subarray(0, length))).toBe(true)
      expect(unfinished(whole)).toBe(false)
    }),
  )
})

test.each(['{"a":t', '{"a":tru', '[1,fals', '{"a":[nul', '{"a":-', '{"a":"\\u00', '  {'])('%j is', (text) => {
  expect(unfinished(text)).toBe(true)
})

test.each([
  '',
  '  ',
  '{t',
  '{<',
  "{'a",
  '{,',
  '{{ x }}',
  '{"a":"\n',
  '{"a":"\\x',
  '{"a" "b',
  '{"a":tr}',
  '{"a":NaN',
  '{"a":tx',
  '{"a":1}t',
  '{"a":trut',
  '{"a" t',
  '{"a":1}{',
  '{]',
])('%j is not', (text) => {
  expect(unfinished(text)).toBe(false)
})

function verdictOf(bytes: Buffer, cuts: readonly number[] = []): string {
  const pieces = new JsonPieces()
  let from = 0
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    pieces.add(bytes.subarray(from, cut))
    from = cut
  }
  return pieces.verdict
}

test('a text in pieces is whole when JSON.parse takes it, wherever it is cut', () => {
  const value = fc.jsonValue({ stringUnit: 'binary' })
  const spoilt = fc.record({ at: fc.nat(), byte: fc.constantFrom(...Buffer.from('{}[]",:\\ 0-.eE1+tfnulas\n\u0001')) })
  fc.assert(
    fc.property(value, fc.option(spoilt), fc.array(fc.nat()), fc.constantFrom(0, 1), (json, spoil, cuts, indent) => {
      const bytes = Buffer.from(JSON.stringify(json, null, indent))
      if (spoil) bytes[spoil.at % bytes.length] = spoil.byte
      const verdict = verdictOf(
        bytes,
        cuts.map((cut) => cut % bytes.length),
      )
      expect(verdict === 'whole').toBe(isJson(bytes.toString()))
      expect(verdict).toBe(verdictOf(bytes))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['', 'blank'],
  [' \r\n\t', 'blank'],
  ['-0.5e+7', 'whole'],
  ['01', 'broken'],
  ['1.', 'unfinished'],
  ['[1,]', 'broken'],
  ['[1}', 'broken'],
  ['{"a":1]', 'broken'],
  ['{"a":1,}', 'broken'],
  ['{"a":"}', 'unfinished'],
  ['[]]', 'broken'],
  ['{}\uFEFF', 'broken'],
  ['{"a":"\\ud83d\\udG', 'broken'],
  ['['.repeat(100_000), 'unfinished'],
  ['['.repeat(100_000) + ']'.repeat(100_000), 'whole'],
  ['[{"a":'.repeat(1000) + '0' + '}]'.repeat(999) + ']', 'broken'],
])('%j is %s', (text, verdict) => {
  expect(verdictOf(Buffer.from(text))).toBe(verdict)
})
