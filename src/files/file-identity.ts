// Which file a path or a descriptor is, whatever it is called, and where a path leads.

import { fstatSync, statSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from '../core/errors.ts'

/** Device and number of an ordinary file. `undefined` when it is none, or cannot be asked. */
export function fileIdentity(file: string | number): string | undefined {
  try {
    const found = typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true })
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}

/** Tells whether what is written to the descriptor `output` is not seen where that of `other` is read: it goes into an ordinary file that
 *  `other` does not go into, or to nothing, wherever `other` goes. Never throws. */
export function isOutOfSight(output: number, other: number): boolean {
  const file = fileIdentity(output)
  return file === undefined ? isNull(output) : file !== fileIdentity(other)
}

function isNull(output: number): boolean {
  try {
    const found = fstatSync(output)
    return found.isCharacterDevice() && found.rdev === statSync(devNull).rdev
  } catch {
    return false
  }
}

/** Finds where a path leads, though the file itself may be missing.
 *  @returns an absolute path without links, whose folder is there
 *  @throws what node:fs throws: ENOENT when there is no such folder, ELOOP when links lead in a circle */
export async function realPlaceOf(given: string): Promise<string> {
  return await realpath(given).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
    const folder = await realpath(dirname(given))
    const goal = await readlink(given).catch(() => {})
    return goal === undefined ? join(folder, basename(given)) : realPlaceOf(resolve(folder, goal))
  })
}
