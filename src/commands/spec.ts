// `spec`: prints the connector specification kept in spec/. Knows neither its schema nor any library, so that it costs
// little more than starting Node.

import { readFileSync } from 'node:fs'

/** Works from src/commands and dist/commands alike. */
const FILE = new URL('../../spec/connector-specification.json', import.meta.url)

/** Writes one SPEC message. Resolves to the exit code. */
export async function spec(io: { write(line: string): Promise<void> }): Promise<number> {
  const specification: unknown = JSON.parse(readFileSync(FILE, 'utf8'))
  await io.write(`${JSON.stringify({ type: 'SPEC', spec: specification })}\n`)
  return 0
}
