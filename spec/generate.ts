// Writes spec/connector-specification.json from the options' schema: `node spec/generate.ts`.

import { writeFileSync } from 'node:fs'

import { specDocument } from '../src/config/spec-document.ts'

writeFileSync(
  new URL('./connector-specification.json', import.meta.url),
  `${JSON.stringify(specDocument(), null, 2)}\n`,
)
