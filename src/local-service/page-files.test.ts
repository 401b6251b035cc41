import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pageFile } from './page-files.ts'

const PAGE_FILES = readdirSync(new URL('./page/', import.meta.url)).filter((name) => name !== 'tsconfig.json')

function textOf(name: string, command?: string): string {
  const { body } = pageFile(name, undefined, command)!
  if (typeof body !== 'string') throw new Error(`${name} is no text`)
  return body
}

it('has every file of the folder, and nothing else', () => {
  for (const name of PAGE_FILES) expect(pageFile(name, undefined), name).toMatchObject({ status: 200 })
  for (const name of [
    'tsconfig.json',
    '../page-files.ts',
    '..%2fpage-files.ts',
    '',
    '%zz',
    'nothing.js',
    'page.css/',
  ]) {
    expect(pageFile(name, undefined), name).toBeUndefined()
  }
})

it('asks for nothing that it has not, holds no script and no style in its markup, and knows no other host', () => {
  const page = textOf('index.html')
  const named = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, place]) => place!)
  expect(named.length).toBeGreaterThan(3)
  for (const place of named) expect(PAGE_FILES, place).toContain(place.replace(/^page\//, ''))
  expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i)
  expect(page.match(/<script\b[^>]*>[^<]*<\/script>/g)).toEqual(['<script type="module" src="page/main.js"></script>'])
  for (const name of PAGE_FILES) {
    const text = textOf(name)
    const hosts = [...text.matchAll(/https?:\/\/[\w.]+/g)].map(([host]) => host)
    expect(
      hosts.filter((host) => host !== 'http://www.w3.org'),
      name,
    ).toEqual([])
    for (const [, from] of text.matchAll(/from '\.\/([^']+)'/g)) expect(PAGE_FILES, name).toContain(from)
    expect(text, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/)
  }
})

it('is known by its tag', () => {
  const first = pageFile('main.js', undefined)!
  const tag = String(first.headers!['ETag'])
  expect(first).toMatchObject({ status: 200, headers: { 'Content-Type': 'text/javascript; charset=utf-8' } })
  for (const known of [tag, `W/${tag}`, `"x", ${tag}`]) {
    expect(pageFile('main.js', known)).toMatchObject({ status: 304, body: '', headers: { ETag: tag } })
  }
  expect(pageFile('main.js', '"x"')).toMatchObject({ status: 200 })
  expect(String(pageFile('page.css', undefined)!.headers!['ETag'])).not.toBe(tag)
})

it('shows commands as it was started', () => {
  const page = textOf('index.html', 'npx <it> &')
  expect(page).toContain('<code>npx &lt;it> &amp; check --config config.json</code>')
  expect(page).not.toMatch(/destination-analytics-service (?:check|write|onboard)/)
})
