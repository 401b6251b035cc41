// Every page points to what is there: files, headings of other pages and of its own.

import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anchors } from './anchors.ts'
import { PAGES, readPage as read } from './pages.ts'

const ROOT = new URL('../', import.meta.url)

/** Links of a page that lead into this tree. */
function links(page: string): string[] {
  const prose = read(page).replaceAll(/^ *```[^]*?^ *```/gm, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link))
}

test.each(PAGES)('%s', (page) => {
  for (const link of links(page)) {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : new URL(path, new URL(page, 'file:///')).pathname.slice(1)
    expect(existsSync(new URL(target, ROOT)), `${page}: ${link}`).toBe(true)
    if (anchor !== undefined) expect(anchors(read(target)), `${page}: ${link}`).toContain(anchor)
  }
})

/** Pages that are part of another one now, with the headings that were linked to. */
test.each([
  ['codes', 'docs/troubleshooting.md', ['codes', 'events']],
  ['faults', 'docs/guarantees.md', ['faults-this-project-had', 'secrets']],
  ['debugging', 'CONTRIBUTING.md', ['how-to-debug']],
  ['comparison', 'docs/benchmarks.md', ['compared-with-alternatives', 'sources']],
  ['stability', 'docs/upgrading.md', ['what-is-stable', 'not-planned']],
])('what was docs/%s.md is in %s, its headings too, and nothing names the old page', (old, page, headings) => {
  expect([...anchors(read(page))]).toEqual(expect.arrayContaining(headings))
  const named = new RegExp(`(?<![\\w-])${old}\\.md`)
  expect(PAGES.filter((it) => it !== 'HISTORY.md' && named.test(read(it)))).toEqual([])
})

test('docs/index.md leads to every page of docs', () => {
  const led = new Set(links('docs/index.md').map((link) => `docs/${link.split('#')[0]!}`))
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')
  expect(pages.filter((page) => !led.has(page))).toEqual([])
})
