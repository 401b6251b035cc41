import { expect, test } from 'vitest'
import { escapedAt } from './escapes.ts'

const read = (text: string, isWhole = true): [string, number][] | undefined =>
  escapedAt(text, 0, isWhole)?.map(({ code, end }) => [String.fromCodePoint(code), end])

test.each<[string, [string, number][]]>([
  ['%2f', [['/', 3]]],
  ['%2F5', [['/', 3]]],
  [
    '%25252f',
    [
      ['%', 3],
      ['%', 5],
      ['/', 7],
    ],
  ],
  ['%u00e9', [['é', 6]]],
  ['%zz', []],
  ['&amp;', [['&', 5]]],
  [
    '&amp;eacute;',
    [
      ['&', 5],
      ['é', 12],
    ],
  ],
  ['&#47;', [['/', 5]]],
  ['&#x2F/', [['/', 5]]],
  ['&#x1f600;', [['😀', 9]]],
  ['&nothing;', []],
  ['\\u00e9', [['é', 6]]],
  ['\\\\\\u00E9', [['é', 8]]],
  ['\\u{1F600}', [['😀', 9]]],
  ['\\x2f', [['/', 4]]],
  ['\\303', [['Ã', 4]]],
  ['\\n', [['\n', 2]]],
  [
    "\\n' +\n    'more",
    [
      ['\n', 2],
      ['\n', 11],
    ],
  ],
  ['\\"', [['"', 2]]],
  [
    '\\%22',
    [
      ['%', 2],
      ['"', 4],
    ],
  ],
  [
    '%5C&quot;',
    [
      ['\\', 3],
      ['&', 4],
      ['"', 9],
    ],
  ],
  ['\\a', []],
])('%j may be %j', (text, found) => {
  expect(read(text)).toEqual(found)
})

test.each(['%', '%2', '%u00e', '%25', '&', '&am', '&#x2', '\\', '\\\\', '\\u00', '\\x2', '\\n', "\\n' +", '\\%2'])(
  '%j may go on',
  (text) => {
    expect(read(text, false)).toBe(undefined)
    expect(read(text)).toBeDefined()
  },
)

test.each(['% ', '%2 ', '&am ', '& ', '\\ ', '\\u00 ', '\\n ', '&amp;\n'])('%j may not', (text) => {
  expect(read(text, false)).toEqual(read(text))
})

test('an endless row of escapes is looked into so far', () => {
  expect(read(`%${'25'.repeat(1_000)}`)!.length).toBeLessThan(50)
  expect(read('\\'.repeat(1_000))).toEqual([])
})
