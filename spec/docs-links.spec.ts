// Every page points to what is there: files, headings of other pages and of its own.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anchors } from './anchors.ts'

const ROOT = new URL('../', import.meta.url)
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'deploy/README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

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
