// The version of the program, and the commit that it was built from.

import { packageFile } from './files/package-file.ts'

/** Reads package.json, one folder above src and above dist: a build keeps this file in dist itself because cli.ts loads it by `import()`.
 *  `gitHead`, the commit, is only in the package.json of a package or an image. */
export function build(): { readonly version: string; readonly gitHead?: string } {
  return JSON.parse(packageFile('../package.json', import.meta.url).toString()) as ReturnType<typeof build>
}

export function version(): string {
  return build().version
}
