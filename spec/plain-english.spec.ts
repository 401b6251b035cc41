// Sentences that users meet are short: 20 words on average, in each page for them and in the form.

import { describe, expect, test } from 'vitest'
import { formSchema } from './file-schema.ts'
import { PAGES, readPage } from './pages.ts'
import { meanLength, sentences, sentencesIn } from './plain-english.ts'

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
