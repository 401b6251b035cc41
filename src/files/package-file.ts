// Files that come with the program: beside the code in a checkout or a package, inside the executable where it is a single file.

import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

/** Reads such a file. The executable has it as an asset, whose name is the path without the leading `./` or `../`.
 *  @param path relative to the module that calls, such as `../package.json`
 *  @param from that module's import.meta.url @throws when there is no such file */
export function packageFile(path: string, from: string): Buffer {
  return isSea() ? Buffer.from(getAsset(path.replace(/^[./]+/, ''))) : readFileSync(new URL(path, from))
}
