// Why a file cannot be used, in words, by what node:fs threw.

import { codeOf } from '../core/errors.ts'

const [NO_FOLDER, NO_FILE, UNWRITABLE, UNREADABLE, FULL] = [
  'there is no such folder',
  'there is no such file',
  'this user may not write there',
  'this user may not read it',
  'there is no room left',
]

/** By code; where two are given, the first is for writing. */
const WORDS: Readonly<Record<string, string | readonly [writing: string, reading: string]>> = {
  ENOENT: [NO_FOLDER, NO_FILE],
  ENOTDIR: [NO_FOLDER, NO_FILE],
  EACCES: [UNWRITABLE, UNREADABLE],
  EPERM: [UNWRITABLE, UNREADABLE],
  EROFS: 'what it is on can only be read',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  ERR_INVALID_ARG_VALUE: 'no path has a NUL in it',
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: 'this process may write no file of that size (ulimit -f)',
  EBUSY: 'it is in use and cannot be replaced (a file that was mounted by itself, perhaps: mount its folder)',
  NO_FILE: 'it is no ordinary file',
}

/** What is there is of another kind: a folder, or neither file nor folder. */
export class OtherKind extends Error {
  readonly code: 'EISDIR' | 'NO_FILE'

  constructor(code: 'EISDIR' | 'NO_FILE') {
    super(code)
    this.code = code
  }
}

/** undefined: its code says all there is. */
export function fileFault(error: unknown, act: 'write' | 'read'): string | undefined {
  const words = WORDS[codeOf(error)]
  return typeof words === 'object' ? words[act === 'write' ? 0 : 1] : words
}
