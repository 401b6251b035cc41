// Where a file is or would be, its links followed: also one that leads to a file that is not there yet, as a shell's > does.
// Knows not what it is for.

import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** @returns an absolute path without links, whose folder is there
 *  @throws what node:fs throws: ENOENT when there is no such folder, ELOOP when links lead in a circle */
export async function realPlaceOf(given: string): Promise<string> {
  return await realpath(given).catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    const folder = await realpath(dirname(given))
    const goal = await readlink(given).catch(() => {})
    return goal === undefined ? join(folder, basename(given)) : realPlaceOf(resolve(folder, goal))
  })
}
