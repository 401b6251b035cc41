import { expect, test } from 'vitest'
import { Nested } from './nested.ts'

test.each([
  ['[]', 2, 1],
  ['{}', 2, 1],
  ['[ ] ,', 3, 1],
  ['[[],{}]x', 7, 2],
  ['{"a":[{"b":1}]}', 15, 3],
  ['{ "a" : 1 , "b" : [ ] }', 23, 2],
] as const)('%j ends at %i, %i levels deep', (text, end, depth) => {
  const nested = new Nested()
  expect([nested.end(Buffer.from(text), 0), nested.depth]).toEqual([end, depth])
})

test.each([
  ['[', 1],
  ['[}', 1],
  ['{]', 1],
  ['[1,]', 3],
  ['{"a"}', 4],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['[[]', 3],
  ['[1 1]', 3],
  ['{"a":1 1}', 7],
] as const)('%j breaks at %i', (text, at) => {
  expect(new Nested().end(Buffer.from(text), 0)).toBe(~at)
})

test('what a level is, object or array, survives any number of levels and is not left over for the next text', () => {
  const nested = new Nested()
  const kinds = Array.from({ length: 300 }, (_, i) => (i * 7) % 3 === 0)
  const text =
    kinds.map((object) => (object ? '{"a":' : '[')).join('') +
    '0' +
    kinds
      .toReversed()
      .map((object) => (object ? '}' : ']'))
      .join('')
  expect([nested.end(Buffer.from(text), 0), nested.depth]).toEqual([text.length, 300])
  expect(nested.end(Buffer.from('['.repeat(300) + ']'.repeat(300)), 0)).toBe(600)
  expect(nested.depth).toBe(300)
})
