// Words for the reason why a file cannot be read or written, by the code of the error that node:fs threw.

import { codeOf } from '../core/errors.ts'

/** Codes that need other words where a file is to be written than where it is to be read. */
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

/** Words for all other codes. NOT_REGULAR is this program's own: `OtherKind` has it. */
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

/** Thrown where a file was wanted, and the path names a folder (EISDIR), or something like a pipe or a device (NOT_REGULAR). */
export class OtherKind extends Error {
  readonly code: 'EISDIR' | 'NOT_REGULAR'

  constructor(code: OtherKind['code']) {
    super(code)
    this.code = code
  }
}

/** The words for what node:fs threw, or for an OtherKind. `undefined` when its code is not listed here. Then show the code itself. */
export function fileFault(error: unknown, act: 'write' | 'read'): string | undefined {
  const words: Readonly<Record<string, string>> = { ...EITHER_WORDS, ...(act === 'write' ? WRITE_WORDS : READ_WORDS) }
  return words[codeOf(error)]
}
