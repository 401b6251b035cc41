// Tells files apart by more than their names: which file a path or a descriptor leads to.

import { fstatSync, statSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from '../core/errors.ts'

/** A text that is the same for all paths and descriptors of one regular file. `undefined` when `file` leads to no regular file. */
export function fileIdentity(file: string | number): string | undefined {
  try {
    const stats = typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true })
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined
  } catch {
    return undefined
  }
}

/** Tells whether what is written to the descriptor `output` is hidden from those who read what goes to the descriptor `other`: it goes to
 *  /dev/null, or into a regular file into which `other` does not go. Never throws. */
export function isOutOfSight(output: number, other: number): boolean {
  const file = fileIdentity(output)
  return file === undefined ? isNullDevice(output) : file !== fileIdentity(other)
}

function isNullDevice(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isCharacterDevice() && stats.rdev === statSync(devNull).rdev
  } catch {
    return false
  }
}

/** Resolves the links of a path, as realpath does, but the file itself may be missing.
 *  @returns an absolute path without links, whose folder exists
 *  @throws what node:fs throws: ENOENT when there is no such folder, ELOOP when links lead in a circle */
export async function realPlaceOf(path: string): Promise<string> {
  return await realpath(path).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
    // no such file, or a link to none
    const folder = await realpath(dirname(path))
    const linkTarget = await readlink(path).catch(() => {})
    return linkTarget === undefined ? join(folder, basename(path)) : realPlaceOf(resolve(folder, linkTarget))
  })
}
