// The file an onboarding's result is written to: whole or not at all. Knows nothing of what is in it.

import { open, realpath, rename, rm, stat, access, constants } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { ConnectorError } from '../core/errors.ts'

/** Before anything is sent: throws a ConnectorError (config) when the file cannot be written, or is one of `others`. */
export async function checkResultFile(path: string, others: readonly string[]): Promise<void> {
  try {
    const real = resolve(await target(path))
    for (const other of others) {
      if (resolve(await target(other)) === real) throw unusable(path, 'it is the config or the journal')
    }
    const found = await kindOf(path)
    if (found === 'folder') throw unusable(path, 'it is a folder')
    await access(found === 'none' || found === 'file' ? dirname(await target(path)) : path, constants.W_OK)
  } catch (error) {
    throw error instanceof ConnectorError ? error : unusable(path, codeOf(error), error)
  }
}

/** On the disk when it resolves; what was there before is replaced. A pipe or a device is written to.
 *  Throws a ConnectorError. */
export async function writeResultFile(path: string, result: object): Promise<void> {
  const text = `${JSON.stringify(result, null, 2)}\n`
  try {
    if ((await kindOf(path)) === 'other') {
      await using file = await open(path, 'w')
      await file.writeFile(text)
      return
    }
    const real = await target(path)
    const part = `${real}.part`
    try {
      await rm(part, { force: true })
      await using file = await open(part, 'wx')
      await file.writeFile(text)
      await file.sync()
      await rename(part, real)
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw error
    }
  } catch (error) {
    throw unusable(path, codeOf(error), error)
  }
}

async function kindOf(path: string): Promise<'none' | 'file' | 'folder' | 'other'> {
  try {
    const found = await stat(path)
    if (found.isFile()) return 'file'
    return found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'none'
    throw error
  }
}

/** What a link leads to is replaced, not the link. */
async function target(path: string): Promise<string> {
  return await realpath(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return path
    throw error
  })
}

function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError(
    'config',
    `The file ${JSON.stringify(path)} of --output cannot be written: ${why}. Give another path.`,
    { cause },
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
