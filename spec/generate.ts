// Writes what is generated from the options' schemas: spec/connector-specification.json, spec/*-config.schema.json, and the
// tables of the README and of docs/stream.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { onboardFileSchema } from '../src/config/onboard/onboard-schema.ts'
import { specDocument } from '../src/config/spec-document.ts'
import { streamFileSchema } from '../src/config/stream/stream-schema.ts'
import { writeFileSchema } from '../src/config/write-schema.ts'
import { renewed } from './readme-options.ts'
import { renewedReference } from './stream-reference.ts'

const README = new URL('../README.md', import.meta.url)
const STREAM = new URL('../docs/stream.md', import.meta.url)

write('./connector-specification.json', specDocument())
write('./stream-config.schema.json', streamFileSchema())
write('./onboard-config.schema.json', onboardFileSchema())
write('./write-config.schema.json', writeFileSchema())
writeFileSync(README, renewed(readFileSync(README, 'utf8')))
writeFileSync(STREAM, renewedReference(readFileSync(STREAM, 'utf8')))

function write(path: string, document: object): void {
  writeFileSync(new URL(path, import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
}
