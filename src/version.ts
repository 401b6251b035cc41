// The version of the program, and the commit that it was built from.

import { packageFile } from './files/package-file.ts'

/** Reads package.json, one folder above src and dist (where cli.ts's `import()` of this file makes it a chunk of its own). `gitHead`, the
 *  commit, is only in that of a package or an image. */
export function build(): { readonly version: string; readonly gitHead?: string } {
  return JSON.parse(packageFile('../package.json', import.meta.url).toString()) as ReturnType<typeof build>
}

export function version(): string {
  return build().version
}
