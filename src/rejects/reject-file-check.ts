// Whether a file of rejected records can be appended to, and what is said where it cannot. A check opens the file for a moment, and makes
// none.

import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, ConnectorError } from '../core/errors.ts'
import { fileFault, OtherKind } from '../files/file-faults.ts'
import { realPlaceOf } from '../files/file-identity.ts'

/** Says what is wrong with a file, and what to do. `undefined` when it can be appended to, or made. Never throws. */
export async function checkRejectFile(path: string, option = REJECTED_FILE): Promise<string | undefined> {
  return tryRejectFile(path, option).catch((error: ConnectorError) => error.message)
}

/** Tries the file without making it.
 *  @throws ConnectorError when it could not be appended to, or made */
export async function tryRejectFile(path: string, option = REJECTED_FILE): Promise<undefined> {
  try {
    await tryOut(path)
  } catch (error) {
    throw rejectFileProblem(path, error, option)
  }
}

async function tryOut(path: string): Promise<void> {
  if (await isThere(path)) {
    await using _file = await open(path, constants.O_RDWR | constants.O_APPEND)
    return
  }
  if (path.endsWith('/')) throw new OtherKind('EISDIR')
  // a link to nowhere is where the file would be made
  await access(dirname(await realPlaceOf(path)), constants.W_OK | constants.X_OK)
}

/** Tells whether there is a file. Throws OtherKind when something else than a file or a folder is there: a pipe would wait for its reader. */
export async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found && !found.isFile() && !found.isDirectory()) throw new OtherKind('NO_FILE')
  return found !== undefined
}

const ANOTHER = 'Give the path of a file that can be appended to'
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'Create it, or give another path',
  ENOTDIR: 'Create it, or give another path',
  ENOSPC: 'Free some space, or give another path',
  EDQUOT: 'Free some space, or give another path',
  EFBIG: 'Move it away, or give another path',
}

/** Words for a file of rejected records in a configuration, and for what there is instead. */
interface FileOption {
  readonly name: string
  readonly otherwise: string
}

export const REJECTED_FILE: FileOption = {
  name: 'rejected records',
  otherwise: 'set rejected_records to {"policy":"table"}, without older names beside it, to keep them in a table',
}

export const DEAD_LETTER_FILE: FileOption = {
  name: 'dead_letters.file',
  otherwise: 'set dead_letters.topic instead: then rejected records go to a topic',
}

/** The error that says why a file cannot be appended to, and what to do.
 *  @param cause what opening or writing threw */
export function rejectFileProblem(path: string, cause: unknown, option = REJECTED_FILE): ConnectorError {
  const found = fileFault(cause, 'write')
  const remedy = found === undefined ? 'Look after its storage, or give another path' : REMEDIES[codeOf(cause)]
  const message =
    `The file ${JSON.stringify(path)} of ${option.name} cannot be appended to: ${found ?? codeOf(cause)}. ` +
    `${remedy ?? ANOTHER}, or ${option.otherwise}.`
  return new ConnectorError(found === undefined ? 'system' : 'config', 'rejects.file-unusable', message, { cause })
}
