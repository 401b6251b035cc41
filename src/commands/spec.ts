// `spec`: prints the connector specification kept in spec/. Knows neither its schema nor any library, so that it costs
// little more than starting Node.

import { readFileSync } from 'node:fs'

import { spec as specMessage } from '../protocol/emitter.ts'

/** Works from src/commands and dist/commands alike. */
const FILE = new URL('../../spec/connector-specification.json', import.meta.url)

/** Writes one SPEC message. Resolves to the exit code. */
export async function spec(io: { write(line: string): Promise<void> }): Promise<number> {
  await io.write(specMessage(readFileSync(FILE, 'utf8')))
  return 0
}
