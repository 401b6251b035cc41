// The file an onboarding's result is written to: whole or not at all, and nothing else beside it is touched.

import { access, constants, mkdtemp, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConnectorError } from '../../core/errors.ts'
import { realPlaceOf } from '../../files/file-identity.ts'

/** Before anything is sent: throws a ConnectorError (config) when the file cannot be written, or is one of `others`, by
 *  whatever name. Those that are to be made must be there by now. */
export async function checkResultFile(path: string, others: readonly string[]): Promise<void> {
  try {
    const kind = await kindOf(path)
    if (kind === 'folder') throw unusable(path, 'it is a folder')
    if (kind === 'file') await checkOther(path, others)
    await access(kind === 'other' ? path : dirname(await realPlaceOf(path)), constants.W_OK)
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
    // what a link leads to is replaced, or made, not the link
    const real = await realPlaceOf(path)
    // a name of its own
    const folder = await mkdtemp(join(dirname(real), '.onboard-'))
    try {
      const whole = join(folder, 'result')
      await using file = await open(whole, 'wx')
      await file.writeFile(text)
      await file.sync()
      await rename(whole, real)
    } finally {
      await rm(folder, { recursive: true, force: true }).catch(() => {})
    }
  } catch (error) {
    throw unusable(path, codeOf(error), error)
  }
}

async function checkOther(path: string, others: readonly string[]): Promise<void> {
  const { dev, ino } = await stat(path)
  for (const other of others) {
    const found = await stat(other).catch(() => undefined)
    if (found?.dev === dev && found.ino === ino) throw unusable(path, 'it is the config, the journal or its lock')
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

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ELOOP: 'its links lead in a circle',
  EROFS: 'nothing can be written there',
  ENOSPC: 'there is no room left',
}

function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError(
    'config',
    `The file ${JSON.stringify(path)} of --output cannot be written: ${WORDS[why] ?? why}. Give the path of a file in a folder that is there.`,
    { cause },
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
