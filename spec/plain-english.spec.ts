// Sentences that users meet are short: 20 words on average, in each page for them and in the form. And comments of the program say
// what a thing is.

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formSchema } from './file-schema.ts'
import { PAGES, readPage } from './pages.ts'
import { HABITS, meanLength, sentences, sentencesIn } from './plain-english.ts'

const MOST = 20
/** For people who change the program, not for those who use it. */
const INSIDE: ReadonlySet<string> = new Set([
  'CHANGELOG.md',
  'HISTORY.md',
  'CONTRIBUTING.md',
  'docs/DESIGN.md',
  'docs/decisions.md',
  'docs/service-interface.md',
])

test('sentences are told apart', () => {
  const page =
    '# Not this\n\nOne two three. Four [five six](x.md): seven!\n- eight `a b c`\n- nine\n\n```sh\nnot this\n```\n'
  expect(sentencesIn(page).map(({ length }) => length)).toEqual([3, 4, 2, 1])
})

test.each(PAGES.filter((page) => !INSIDE.has(page)))('%s', (page) => {
  const all = sentencesIn(readPage(page))
  expect(meanLength(all)).toBeLessThanOrEqual(MOST)
})

describe('comments of the program', () => {
  const root = new URL('../src/', import.meta.url)
  const files = globSync('**/*.ts', { cwd: root }).filter((path) => !/\.test\.ts$|(?:^|\/)testing\//.test(path))
  const texts = files.map((path) => readFileSync(new URL(path, root), 'utf8'))

  // each may only fall: lower it with the comments
  test.each([
    ['a doc comment opens with Of, As, By, In or At', 0],
    ['a doc comment opens with All, Those, Whose, What or Where', 43],
    ['absence is explained by a colon', 19],
    ['a comment speaks of persons', 1],
    ['a heading begins a second idea', 5],
  ] as const)('%s at most %i times', (habit, most) => {
    expect(texts.flatMap((text) => HABITS[habit](text)).length).toBeLessThanOrEqual(most)
  })

  test('are told from what is none of these habits', () => {
    const bad =
      '// first\n\n/** Of a row. */\n/** Those of\n *  all. */\n\n// second\n\n/** The row; undefined: nobody asks. */\n'
    const good = '// first\n\n/** The key of a row. `undefined` when it has none. */\n'
    expect(Object.values(HABITS).map((found) => `${found(bad).length} ${found(good).length}`)).toEqual(
      Array(5).fill('1 0'),
    )
  })
})

describe('the form', () => {
  const texts = textsIn(formSchema())

  test('has texts', () => {
    expect(texts.length).toBeGreaterThan(50)
  })

  test('says what it says in short sentences', () => {
    expect(meanLength(texts.flatMap((text) => sentences(text)))).toBeLessThanOrEqual(MOST)
  })
})

/** Titles and descriptions, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    typeof member === 'string' && (name === 'title' || name === 'description') ? [member] : textsIn(member),
  )
}
