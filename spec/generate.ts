// Writes what is generated from the options' schema: spec/connector-specification.json and the README's table.

import { readFileSync, writeFileSync } from 'node:fs'
import { specDocument } from '../src/config/spec-document.ts'
import { renewed } from './readme-options.ts'

const README = new URL('../README.md', import.meta.url)

writeFileSync(
  new URL('./connector-specification.json', import.meta.url),
  `${JSON.stringify(specDocument(), null, 2)}\n`,
)
writeFileSync(README, renewed(readFileSync(README, 'utf8')))
