// `spec`: prints the connector specification kept in spec/. Knows neither its schema nor any library, so that it costs
// little more than starting Node.

import { packageFile } from '../files/package-file.ts'

/** The path from src/commands and dist/commands alike. */
const FILE = '../../spec/connector-specification.json'

/** Writes one SPEC message. Resolves to the exit code. */
export async function spec(io: { write(line: string): Promise<void> }): Promise<number> {
  const specification: unknown = JSON.parse(packageFile(FILE, import.meta.url).toString())
  await io.write(`${JSON.stringify({ type: 'SPEC', spec: specification })}\n`)
  return 0
}
