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

test('docs/index.md leads to every page of docs', () => {
  const led = new Set(links('docs/index.md').map((link) => `docs/${link.split('#')[0]!}`))
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')
  expect(pages.filter((page) => !led.has(page))).toEqual([])
})
