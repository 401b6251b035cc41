import { expect, test } from 'vitest'
import { afterSpace, hasBackslash, literalEnd, numberEnd, scalarEnd, stringEnd } from './tokens.ts'

const at = (text: string): Buffer => Buffer.from(text)

test.each([
  ['', 0],
  ['a', 0],
  [' \t\r\na', 4],
  ['  ', 2],
  ['\u00a0a', 0],
  ['\fa', 0],
] as const)('white space of %j ends at %i', (text, end) => {
  expect(afterSpace(at(text), 0)).toBe(end)
})

test.each([
  ['"', 0],
  ['ab"c', 2],
  [' !"', 2],
  ['é\u007f"', 3],
  ['\\"\\\\"', 4],
  ['\\u00e9"', 6],
  ['ab', ~2],
  ['a\nb"', ~1],
  ['\\q"', ~1],
  ['\\u00g0"', ~4],
  ['\\u00', ~4],
  ['\\', ~1],
] as const)('the string %j ends at %i', (text, end) => {
  expect(stringEnd(at(text), 0)).toBe(end)
})

test.each([
  ['0', 1],
  ['01', 1],
  ['-0.50e-07,', 9],
  ['12]', 2],
  ['1e5.', 3],
  ['-', ~1],
  ['-x', ~1],
  ['1.', ~2],
  ['1.e', ~2],
  ['1e', ~2],
  ['1E+', ~3],
] as const)('the number %j ends at %i', (text, end) => {
  expect(numberEnd(at(text), 0)).toBe(end)
})

test.each([
  ['true', 4],
  ['false,', 5],
  ['null', 4],
  ['nul', ~0],
  ['tree', ~0],
  ['falsy', ~0],
  ['x', ~0],
  ['', ~0],
] as const)('the literal %j ends at %i', (text, end) => {
  expect(literalEnd(at(text), 0)).toBe(end)
  expect(scalarEnd(at(text), 0)).toBe(end)
})

test.each([
  ['"a" ', 3],
  ['-1 ', 2],
  ['"a', ~2],
  ['{', ~0],
  [']', ~0],
  ['+', ~0],
] as const)('the scalar %j ends at %i', (text, end) => {
  expect(scalarEnd(at(text), 0)).toBe(end)
})

test('finds a backslash within the range only', () => {
  expect([hasBackslash(at('a\\b'), 0, 3), hasBackslash(at('a\\b'), 0, 1), hasBackslash(at('a\\b'), 2, 3)]).toEqual([
    true,
    false,
    false,
  ])
})
