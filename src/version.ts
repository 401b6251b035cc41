// Which version of the program this is, and of which commit: the making of package and image writes that into the manifest.

import { packageFile } from './files/package-file.ts'

/** The path is right from src and dist alike: as long as this is only imported by import(), it is a chunk of its own there. */
export function build(): { readonly version: string; readonly gitHead?: string } {
  return JSON.parse(packageFile('../package.json', import.meta.url).toString()) as ReturnType<typeof build>
}

export function version(): string {
  return build().version
}
