// Buttons that docs tell people to press are on the local service's page, under that name.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

const pages = [
  'README.md',
  ...readdirSync(new URL('docs', ROOT)).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]
const pressed = pages.flatMap((page) =>
  [...read(page).matchAll(/\b(?:press|click)\s+(?:on\s+)?(?:\*\*|")([^*"]+)(?:\*\*|")/gi)].map(
    ([, name]) => [name!, page] as const,
  ),
)
const folder = 'src/local-service/page'
const source = readdirSync(new URL(folder, ROOT))
  .filter((name) => /\.(?:js|html)$/.test(name))
  .map((name) => read(`${folder}/${name}`))
  .join('\n')

test('docs name buttons', () => {
  expect(pressed.length).toBeGreaterThan(1)
})

test.each(pressed)('%s of %s is on the page', (name) => {
  expect(source).toMatch(new RegExp(`(?:>|['"\`])${name}(?:<|['"\`])`))
})
