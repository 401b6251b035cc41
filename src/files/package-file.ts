// Files that come with the program: beside the code in a checkout or a package, inside the executable where it is a single file.

import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

/** Reads a file of the package. In the single executable it is an asset, named by the path without its leading `./` or `../`.
 *  @param path relative to the module that calls, such as `../package.json`
 *  @param from that module's import.meta.url @throws when there is no such file */
export function packageFile(path: string, from: string): Buffer {
  return isSea() ? Buffer.from(getAsset(path.replace(/^[./]+/, ''))) : readFileSync(new URL(path, from))
}
