// The pages for people, and where they are.

import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)

/** Paths from the root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  '.github/CODE_OF_CONDUCT.md',
  '.github/PULL_REQUEST_TEMPLATE.md',
  '.github/ISSUE_TEMPLATE/defect.md',
  '.github/ISSUE_TEMPLATE/idea.md',
  'CHANGELOG.md',
  'HISTORY.md',
  'deploy/README.md',
  'deploy/npm.md',
  'spec/sample/README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export function readPage(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}
