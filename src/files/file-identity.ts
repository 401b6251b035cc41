// Which file a path or a descriptor is, whatever it is called. Knows not what it is for.

import { fstat } from 'node:fs'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const fstatOf = promisify(fstat)

/** Device and number of an ordinary file; undefined: it is none, or cannot be asked. */
export async function fileIdentity(file: string | number): Promise<string | undefined> {
  try {
    const found = typeof file === 'number' ? await fstatOf(file, { bigint: true }) : await stat(file, { bigint: true })
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}
