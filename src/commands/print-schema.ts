// `COMMAND --schema`: the JSON Schema of a command's config, as spec/ keeps it.

import { readFile } from 'node:fs/promises'
import type { Ended, Io } from '../process/io.ts'
import { print } from '../process/output.ts'

/** Works from src/commands and dist/commands alike. */
const FOLDER = new URL('../../spec/', import.meta.url)

/** @param command that has a config of its own */
export async function printSchema(command: string, io: Pick<Io, 'stdout' | 'stderr'>): Promise<Ended> {
  return print(io, await readFile(new URL(`${command}-config.schema.json`, FOLDER), 'utf8'))
}
