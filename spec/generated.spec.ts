// What is generated is up to date.

import { expect, test } from 'vitest'
import { GENERATED } from './generated.ts'
import { readPage } from './pages.ts'

test.each(Object.entries(GENERATED))('%s is what `npm run generate` writes', (path, make) => {
  const committed = readPage(path)
  expect(make(committed)).toBe(committed)
})
