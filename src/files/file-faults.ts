// Why a file cannot be used, in words, by what node:fs threw.

import { codeOf } from '../core/errors.ts'

const [NO_FOLDER, NO_FILE, UNWRITABLE, UNREADABLE, FULL] = [
  'there is no such folder',
  'there is no such file',
  'this user may not write there',
  'this user may not read it',
  'there is no space left',
]

/** Words for each error code; where two are given, the first is for writing. */
const WORDS: Readonly<Record<string, string | readonly [writing: string, reading: string]>> = {
  ENOENT: [NO_FOLDER, NO_FILE],
  ENOTDIR: [NO_FOLDER, NO_FILE],
  EACCES: [UNWRITABLE, UNREADABLE],
  EPERM: [UNWRITABLE, UNREADABLE],
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its path is too long',
  ERR_INVALID_ARG_VALUE: 'a path cannot contain NUL',
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: 'the limit on file sizes is reached (ulimit -f)',
  EBUSY: 'it is in use and cannot be replaced (a file that was mounted by itself, perhaps: mount its folder)',
  NO_FILE: 'it is not a regular file',
}

/** The error for a path that names something of another kind: a folder, or neither file nor folder. */
export class OtherKind extends Error {
  readonly code: 'EISDIR' | 'NO_FILE'

  constructor(code: 'EISDIR' | 'NO_FILE') {
    super(code)
    this.code = code
  }
}

/** Words for an error of a file. `undefined` when its code says all there is. */
export function fileFault(error: unknown, act: 'write' | 'read'): string | undefined {
  const words = WORDS[codeOf(error)]
  return typeof words === 'object' ? words[act === 'write' ? 0 : 1] : words
}
