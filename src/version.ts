// Which version of the program this is.

import { packageFile } from './files/package-file.ts'

/** The path is right from src and dist alike: as long as this is only imported by import(), it is a chunk of its own there. */
export function version(): string {
  const manifest = JSON.parse(packageFile('../package.json', import.meta.url).toString()) as { version: string }
  return manifest.version
}
