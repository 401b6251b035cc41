// Why a file cannot be used, in words, by what node:fs threw.

import { codeOf } from '../core/errors.ts'

/** Words for codes that mean another thing where a file is written than where it is read. */
const WRITE_WORDS = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
}
const READ_WORDS = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** Words for other codes, in both cases. NOT_REGULAR is this program's own (`OtherKind`). */
const EITHER_WORDS = {
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its path is too long',
  ERR_INVALID_ARG_VALUE: 'a path cannot contain NUL',
  ENOSPC: 'there is no space left',
  EDQUOT: 'there is no space left',
  EFBIG: 'the limit on file sizes is reached (ulimit -f)',
  EBUSY: 'it is in use and cannot be replaced (a file that was mounted by itself, perhaps: mount its folder)',
  NOT_REGULAR: 'it is not a regular file',
}

/** The error that callers throw who wanted a file, for a path that names a folder, or neither file nor folder. */
export class OtherKind extends Error {
  readonly code: 'EISDIR' | 'NOT_REGULAR'

  constructor(code: 'EISDIR' | 'NOT_REGULAR') {
    super(code)
    this.code = code
  }
}

/** Words for an error of a file. `undefined` when its code is not listed here: show the code. */
export function fileFault(error: unknown, act: 'write' | 'read'): string | undefined {
  const words: Readonly<Record<string, string>> = { ...EITHER_WORDS, ...(act === 'write' ? WRITE_WORDS : READ_WORDS) }
  return words[codeOf(error)]
}
