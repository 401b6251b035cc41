// `COMMAND --schema`: the JSON Schema of a command's config, as spec/ keeps it.

import { packageFile } from '../files/package-file.ts'
import type { Ended, Io } from '../process/io.ts'
import { print } from '../process/output.ts'

/** @param command that has a config of its own */
export async function printSchema(command: string, io: Pick<Io, 'stdout' | 'stderr'>): Promise<Ended> {
  // from src/commands and dist/commands alike
  const file = `../../spec/${command}-config.schema.json`
  return print(io, packageFile(file, import.meta.url).toString())
}
