// The README says what the code does: its table of options, its files, its scripts.

import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renewed } from './readme-options.ts'

const ROOT = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', ROOT), 'utf8')
const scripts = Object.keys(
  (JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { scripts: object }).scripts,
)

test('its table of options is what `npm run generate` writes', () => {
  expect(readme).toBe(renewed(readme))
})

test('every script and file it names exists', () => {
  const named = [...readme.matchAll(/npm run ([a-z][a-z0-9:-]+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(3)
  for (const name of named) expect(scripts).toContain(name)
  for (const [, path] of readme.matchAll(/`((?:src|spec|bench)\/[\w./-]+)`/g)) {
    expect(existsSync(new URL(path!, ROOT)) || existsSync(new URL(`${path!}.ts`, ROOT)), path).toBe(true)
  }
})
