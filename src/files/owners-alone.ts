// Files that nobody but their owner may read. Knows nothing of what is in them.

import { chmodSync, lstatSync } from 'node:fs'

/** Read and write for the owner. */
export const OWNERS_ALONE = 0o600

/** Does so with the file of that name, if there is one. That of another user, or on a file system without rights, stays as it
 *  is: who may read it, this user cannot decide. */
export function keepForOwner(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return
  try {
    chmodSync(path, OWNERS_ALONE)
  } catch {
    // said above
  }
}
