import { expect, it } from 'vitest'
import { brokenJson } from './broken-json.ts'

it.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['{"streams":[', 'it ends too early'],
  ['{\n "streams": [],\n}', 'line 3, column 1: take out the comma before it'],
  ['[1,\n]', 'line 2, column 1: take out the comma before it'],
  ['rubbish', 'line 1, column 1'],
  ['{"ä":x}', 'line 1, column 6'],
  ['{} {}', 'line 1, column 4'],
])('tells of %j: %s', (text, words) => {
  expect(brokenJson(text)).toBe(words)
})

it('quotes nothing', () => {
  expect(brokenJson('{"api_key":"canary" canary}')).not.toContain('canary')
})
