import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginning, displayWidth } from './display-width.ts'
import { shortened, wrap } from './printable.ts'
import { foldedTable, textTable } from './text-table.ts'

test.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a😀😀', 3, 'a\ufffd…'],
])('%j in %i characters is %j', (text, max, short) => {
  expect(shortened(text, max)).toBe(short)
})

test('an example', () => {
  expect(wrap('  - one two three', 10, '    ')).toBe('  - one\n    two\n    three')
  expect(wrap('a longword b', 4, '')).toBe('a\nlongword\nb')
  expect(wrap('as it is', Infinity, '  ')).toBe('as it is')
})

test('no word is lost, and no line of several words is too long', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 40 }), (some, width) => {
      const lines = wrap(some.join(' '), width, ' ').split('\n')
      expect(lines.map((line) => line.trim()).join(' ')).toBe(some.join(' '))
      for (const line of lines) if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(width)
    }),
  )
})

test.each([
  ['', 0],
  ['plain', 5],
  ['é', 1],
  ['é', 1],
  ['数据', 4],
  ['ひらがな', 8],
  ['한글', 4],
  ['ｗ', 2],
  ['😀', 2],
  ['𠀀', 2],
  ['a\u200bb', 2],
])('%j takes %i columns', (text, columns) => {
  expect(displayWidth(text)).toBe(columns)
})

test.each([
  ['plain', 3, 'pla'],
  ['数据', 3, '数'],
  ['数据', 4, '数据'],
  ['éa', 1, 'é'],
  ['😀😀', 3, '😀'],
  ['x', 0, ''],
])('of %j in %i columns %j stays', (text, columns, stays) => {
  expect(beginning(text, columns)).toBe(stays)
})

test('folds a table that is too wide: some columns, and the others below', () => {
  const rows = [
    ['orders', 'shop_orders', '1,234', ''],
    ['a'.repeat(30), 't', '5', '≥ 1'],
  ]
  const of = (width: number): string => foldedTable(['stream', 'table', 'records', 'requests'], rows, [0, 2], width)
  expect(of(Infinity)).toBe(textTable(['stream', 'table', 'records', 'requests'], rows, Infinity))
  expect(of(40)).toBe(
    [
      'stream                          records',
      '------------------------------  -------',
      'orders                            1,234',
      `${'a'.repeat(30)}        5`,
      '',
      'orders: table shop_orders',
      `${'a'.repeat(30)}: table t,`,
      '  requests ≥ 1',
    ].join('\n'),
  )
})
