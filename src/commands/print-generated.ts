// `COMMAND --schema` and `COMMAND --example`: what spec/generate.ts makes of a command's options.

import { packageFile } from '../files/package-file.ts'
import type { Ended, Io } from '../process/io.ts'
import { print } from '../process/print.ts'

/** @param file in spec/ */
export async function printGenerated(file: string, io: Pick<Io, 'stdout' | 'stderr'>): Promise<Ended> {
  // from src/commands and dist/commands alike
  return print(io, packageFile(`../../spec/${file}`, import.meta.url).toString())
}
