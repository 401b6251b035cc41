// Holds the file of a journal open and locked for one run. No other process writes to it unnoticed, whatever names and links lead to it.

import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ConnectorError, NO_CODE } from '../core/errors.ts'
import { fileIdentity } from '../files/file-identity.ts'
import { lock, lockHolder } from '../files/lock.ts'
import { OWNERS_ALONE } from '../files/whole-file.ts'

/** The locked file. First `read` it, then `keep` its whole lines; then `append` as often as needed. */
export type HeldFile = ReturnType<typeof holdFile>

/** Opens the file of a journal, or makes it (mode 0600), and locks it until it is disposed of. This function and the members of HeldFile
 *  throw a ConnectorError (config) when another run uses the file, or the system refuses. */
export function holdFile(path: string) {
  return explainFailure(path, 'it cannot be opened or made', () => {
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing && !existing.isFile())
      throw unusable(path, existing.isDirectory() ? 'it is a folder' : 'it is not a regular file')
    using stack = new DisposableStack()
    // made (`a+`) before it is locked: from here on it has an inode, whatever path leads to it
    const file = stack.adopt(openSync(path, 'a+', OWNERS_ALONE), closeSync)
    const real = realpathSync(path)
    // named by the inode, so that all names of the file in its folder have one lock
    const lockFile = join(dirname(real), `.onboard-${fstatSync(file).ino}.lock`)
    const ownLock = lock(lockFile)
    if (ownLock === undefined) throw usedByAnother(path, lockHolder(lockFile))
    stack.use(ownLock)
    return heldFile(path, file, [real, lockFile], stack.move())
  })
}

function usedByAnother(path: string, pid: number | undefined): ConnectorError {
  const who = pid === undefined ? '' : ` (process ${pid})`
  return unusable(path, `another onboard is using it${who}. Wait until that one has ended, or stop it; then run again`)
}

/** @param file its descriptor */
function heldFile(path: string, file: number, files: readonly [real: string, lock: string], resources: Disposable) {
  let length = fstatSync(file).size
  /** Throws when another process has moved, replaced or changed the file, as one can that ignores the lock. */
  const check = (): void => {
    const isInPlace = fileIdentity(file) === fileIdentity(files[0])
    if (isInPlace && fstatSync(file).size === length) return
    const problem = isInPlace ? 'somebody else has written to it' : 'it was moved, removed or replaced while in use'
    throw unusable(
      path,
      `${problem}. Nothing more was sent. Make sure that it is in its place and that only one run uses it, then run again`,
    )
  }
  return {
    /** The file and its lock, with links resolved. */
    files,
    read: (): Buffer => explainFailure(path, 'reading it failed', () => readFileSync(file)),
    /** Truncates the file to its first `keptBytes` bytes, and lets only its owner read and write it. */
    keep(keptBytes: number): void {
      explainFailure(path, 'writing to it failed', () => {
        check()
        fchmodSync(file, OWNERS_ALONE)
        ftruncateSync(file, keptBytes)
        fsyncSync(file)
        // the directory entry of a new file must be durable too
        syncFolder(dirname(files[0]))
      })
      length = keptBytes
    },
    /** Adds bytes. When it returns, they are on disk and no other process has written in between. */
    append(bytes: Uint8Array): void {
      explainFailure(path, 'writing to it failed', () => {
        check()
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
        fsyncSync(file)
        length += bytes.length
        // another process may have made the same check at the same moment, and written too
        check()
      })
    },
    [Symbol.dispose]: () => resources[Symbol.dispose](),
  }
}

function syncFolder(path: string): void {
  using stack = new DisposableStack()
  fsyncSync(stack.adopt(openSync(path, 'r'), closeSync))
}

/** Advice on an error of the file system, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Let this user write to it and to its folder',
  EPERM: 'Let this user write to it and to its folder',
  EROFS: 'Nothing can be written there: begin an onboarding with --journal in another folder',
  ENOENT: 'Create its folder first',
  ENOTDIR: 'The folder in its path is a file: give another path with --journal',
  ELOOP: 'The links to it lead nowhere: give another path with --journal',
  ENAMETOOLONG: 'Give a shorter path with --journal',
  ENOSPC: 'Free space on that disk',
  EDQUOT: 'Free space in the quota of this user',
  EFBIG: 'Raise the limit on the size of files (ulimit -f)',
  EMFILE: 'Raise the limit on open files (ulimit -n)',
  ERR_SQLITE_ERROR: 'Its folder must be one where this user can make files and lock them',
}

/** The error for a journal that cannot be used. @param why a sentence without a full stop */
export function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError('config', NO_CODE, `The journal ${JSON.stringify(path)} cannot be used: ${why}.`, {
    cause,
  })
}

/** Does `act`, and turns its errors of the file system into ConnectorErrors, which say what failed: "writing to it failed". */
function explainFailure<T>(path: string, failed: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConnectorError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const remedy = REMEDIES[code] ?? 'Make sure that this user can write to it'
    throw unusable(path, `${failed} (${code}). ${remedy}, then run the same command again`, error)
  }
}
