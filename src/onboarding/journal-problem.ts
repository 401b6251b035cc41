// Why a journal cannot be used, in words: what was found, what to do. Pure.

import { ConnectorError } from '../core/errors.ts'

/** What a user can do about an error of the file system, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Let this user write to it and to its folder',
  EPERM: 'Let this user write to it and to its folder',
  EROFS: 'Nothing can be written there: begin an onboarding with --journal in another folder',
  ENOENT: 'Make its folder first',
  ENOTDIR: 'Its folder is none: give another path with --journal',
  ELOOP: 'The links to it lead nowhere: give another path with --journal',
  ENAMETOOLONG: 'Give a shorter path with --journal',
  ENOSPC: 'Make room on that disk',
  EDQUOT: 'Make room within the quota of this user',
  EFBIG: 'Raise the limit on the size of files (ulimit -f)',
  EMFILE: 'Raise the limit on open files (ulimit -n)',
  ERR_SQLITE_ERROR: 'Its folder must be one where this user can make files and lock them',
}

/** @param why a sentence without its end */
export function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError('config', `The journal ${JSON.stringify(path)} cannot be used: ${why}.`, { cause })
}

/** What `act` throws of the file system as a ConnectorError. @param failed "writing to it failed" */
export function explainFailure<T>(path: string, failed: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConnectorError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const remedy = REMEDIES[code] ?? 'See to it that this user can write to it'
    throw unusable(path, `${failed} (${code}). ${remedy}, then run the same command again`, error)
  }
}
