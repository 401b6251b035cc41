// Why rejected records cannot be kept in a file, for the user.

import { ConnectorError } from '../core/errors.ts'

interface Words {
  readonly found: string
  readonly remedy: string
}

const ANOTHER = 'Give the path of a file that can be appended to'
const NOWHERE: Words = { found: 'there is no such folder', remedy: `Create it, or give another path` }
const FORBIDDEN: Words = { found: 'this user may not write there', remedy: ANOTHER }
const FULL: Words = { found: 'there is no room left for it', remedy: 'Make room, or give another path' }

const WORDS: Readonly<Record<string, Words>> = {
  ENOENT: NOWHERE,
  ENOTDIR: NOWHERE,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: { found: 'what it is on can only be read', remedy: ANOTHER },
  EISDIR: { found: 'it is a directory', remedy: ANOTHER },
  ELOOP: { found: 'its links lead in a circle', remedy: ANOTHER },
  ENAMETOOLONG: { found: 'its path is too long', remedy: ANOTHER },
  ERR_INVALID_ARG_VALUE: { found: 'no path has a NUL in it', remedy: ANOTHER },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: { found: 'it has become too large', remedy: 'Move it away, or give another path' },
}

/** What a file of rejected records is called in a configuration, and what there is instead. */
export interface FileOption {
  readonly name: string
  readonly otherwise: string
}

export const REJECTED_FILE: FileOption = {
  name: 'rejected_file',
  otherwise: 'leave rejected_file out: then rejected records go to a table',
}

export const DEAD_LETTER_FILE: FileOption = {
  name: 'dead_letters.file',
  otherwise: 'set dead_letters.topic instead: then rejected records go to a topic',
}

/** What is thrown for something that is there and no file: a pipe, a device. */
export class NoFile extends Error {
  readonly code = 'NO_FILE'
}

/** @param cause what opening or writing threw */
export function rejectFileProblem(path: string, cause: unknown, option = REJECTED_FILE): ConnectorError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const known =
    code === 'NO_FILE' ? { found: 'it is no ordinary file, so nothing would be kept', remedy: ANOTHER } : WORDS[code]
  const { found, remedy } = known ?? { found: code, remedy: 'Look after its storage, or give another path' }
  const message =
    `The file ${JSON.stringify(path)} of ${option.name} cannot be appended to: ${found}. ` +
    `${remedy}, or ${option.otherwise}.`
  return new ConnectorError(known ? 'config' : 'system', message, { cause })
}
