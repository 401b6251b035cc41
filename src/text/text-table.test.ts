import { expect, test } from 'vitest'
import { beginning, displayWidth } from './text-table.ts'

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
