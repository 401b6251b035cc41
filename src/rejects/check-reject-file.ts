// Whether rejected records could be kept in a file, found out without making or changing one.

import { constants } from 'node:fs'
import { access, open, readlink, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { NoFile, REJECTED_FILE, rejectFileProblem } from './reject-file-problem.ts'

/** Of links that lead to links. */
const MOST_LINKS = 40

/** @returns what is wrong and what to do; undefined when the file can be appended to, or made. Never throws */
export async function checkRejectFile(path: string, option = REJECTED_FILE): Promise<string | undefined> {
  try {
    await tryOut(path)
    return undefined
  } catch (error) {
    return rejectFileProblem(path, error, option).message
  }
}

async function tryOut(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) {
    if (path.endsWith('/')) throw Object.assign(new Error(path), { code: 'EISDIR' })
    await access(dirname(await whereItWouldBe(path)), constants.W_OK | constants.X_OK)
    return
  }
  // a pipe would wait for its reader
  if (!found.isFile() && !found.isDirectory()) throw new NoFile()
  await using _file = await open(path, constants.O_RDWR | constants.O_APPEND)
}

/** A link to nowhere is where a file would be made. */
async function whereItWouldBe(path: string): Promise<string> {
  let at = path
  for (let links = 0; links < MOST_LINKS; links++) {
    const to = await readlink(at).catch(() => undefined)
    if (to === undefined) return at
    at = resolve(dirname(at), to)
  }
  return at
}
