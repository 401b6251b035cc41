// Why a file cannot be used, in words, by what node:fs threw.

import { codeOf } from '../core/errors.ts'

/** Words for codes that mean another thing where a file is written than where it is read. */
const WRITE = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
}
const READ = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** Words for all other codes. */
const EITHER = {
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its path is too long',
  ERR_INVALID_ARG_VALUE: 'a path cannot contain NUL',
  ENOSPC: 'there is no space left',
  EDQUOT: 'there is no space left',
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
  const words: Readonly<Record<string, string>> = { ...EITHER, ...(act === 'write' ? WRITE : READ) }
  return words[codeOf(error)]
}
