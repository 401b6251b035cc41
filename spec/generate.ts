// `npm run generate`: writes what is generated (generated.ts) into the files that are not up to date.

import { writeFileSync } from 'node:fs'
import { GENERATED } from './generated.ts'
import { readPage } from './pages.ts'

for (const [path, make] of Object.entries(GENERATED)) {
  const before = readPage(path)
  const after = make(before)
  if (after !== before) writeFileSync(new URL(`../${path}`, import.meta.url), after)
}
