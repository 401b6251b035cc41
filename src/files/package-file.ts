// Files that come with the program: beside the code in a checkout or a package, inside the executable where it is a single file.

import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

/** @param path relative to the module that asks, which tells where it is by `from`, its import.meta.url. In a single file its
 *  name is the path without what leads up (`../`) or stays (`./`). @throws where there is no such file */
export function packageFile(path: string, from: string): Buffer {
  return isSea() ? Buffer.from(getAsset(path.replace(/^[./]+/, ''))) : readFileSync(new URL(path, from))
}
