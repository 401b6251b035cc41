// Files that docs and the help tell people to write into a checkout are no part of it: git ignores them, and so does the formatter, which
// follows .gitignore. Files that hold a key must not be committed by accident either.

import { readdirSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  ...readdirSync(new URL('docs', ROOT)).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ...readdirSync(new URL('src/commands/help', ROOT)).map((name) => `src/commands/help/${name}`),
  ...['README.md', 'pyairbyte.py', 'repair.sh', 'cron.sh'].map((name) => `spec/sample/${name}`),
]

const FILE = String.raw`([\w.-]+\.(?:jsonl?|ya?ml|html|db|sqlite|journal|env|txt|csv|pem|log)\b|\.env\b)(?![\w/.])`
/** A name without a folder, where a command reads or writes a file: behind an option, a redirection or \`tee\`. */
const WRITTEN = new RegExp(
  String.raw`(?:--(?:config|catalog|report|summary|compare|output|journal|data|load|env-file)[= ](?:\w+=)?|[<>] ?|\b(?:tee|cat) |\b(?:cp|mv) \S+ |\bsed '[^']*' |_file: ?|"path": ?")${FILE}`,
  'g',
)

const named = PAGES.flatMap((page) => [...read(page).matchAll(WRITTEN)].map(([, name]) => ({ page, name: name! })))
const names = [...new Set(named.map(({ name }) => name))]

/** Those that are there already: examples read, and nobody writes them. */
const isOurs = (name: string): boolean => readdirSync(ROOT).includes(name) && !ignored(name)

const patterns = read('.gitignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

function ignored(name: string): boolean {
  return patterns.some((pattern) => matchesGlob(name, pattern.replace(/^\//, '')))
}

describe('a file that people are told to write', () => {
  test('is found in docs', () => {
    expect(names).toEqual(
      expect.arrayContaining(['my-catalog.json', 'my-records.jsonl', 'to-repair.jsonl', 'report.html']),
    )
    expect(names).toEqual(expect.arrayContaining(['rows.jsonl', 'rejected.jsonl', 'my-stream.yaml', 'onboarded.json']))
    expect(names).toEqual(expect.arrayContaining(['summary.json', 'new.json', 'old.json']))
  })

  test.each(names)('%s is ignored', (name) => {
    const pages = named.filter((one) => one.name === name).map(({ page }) => page)
    expect(isOurs(name) || ignored(name), pages.join()).toBe(true)
  })
})
