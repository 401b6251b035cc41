// Opens or makes a data file, the SQLite file of serve --data; refuses any other file, which stays as it was.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdtempDisposableSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConnectorError, NO_CODE } from '../../core/errors.ts'
import { fileFault } from '../../files/file-faults.ts'
import { keepForOwner, lock } from '../../files/lock.ts'
import { OWNERS_ALONE } from '../../files/whole-file.ts'
import { APPLICATION_ID, FORMAT, SCHEMA } from './sqlite-schema.ts'

export interface DataFile<T> extends Disposable {
  readonly db: DatabaseSync
  /** The result of `read`, which openDataFile was given. */
  readonly content: T
}

/** How every SQLite file begins, whose header has 100 bytes. */
const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
/** The place of `application_id` in the header, big-endian. */
const ID_AT = 68
/** How long a statement waits for another program that writes into the file. */
const BUSY_MS = 5000

/** Opens the data file, or makes it when there is none or an empty one, and has `read` read it. Until it is disposed of, no other service
 *  can open it. Only its owner can read it. A commit is on the disk when it returns (WAL, synchronous FULL). Throws a ConnectorError
 *  (config) when another service has the file open, it is another program's, is damaged, or cannot be written; it is left as it is. */
export function openDataFile<T>(path: string, read: (db: DatabaseSync) => T): DataFile<T> {
  if (path === '') throw new ConnectorError('config', NO_CODE, 'The data file needs a name.')
  return explainingErrors(path, () => {
    const real = realPath(path)
    const existing = statSync(real, { throwIfNoEntry: false })
    if (existing?.isDirectory()) throw unusable(path, 'it is a folder')
    if (existing && !existing.isFile()) throw unusable(path, 'it is not a regular file')
    // the files that SQLite keeps beside it, and our lock, have its name with an ending: under another name they would be others
    if (existing && existing.nlink > 1) {
      throw unusable(path, 'it has another name too (a hard link), by which somebody else may use it: use a copy of it')
    }
    // without this, a file that cannot be written would be noticed only at the first commit
    accessSync(dirname(real), constants.W_OK)
    if (existing) accessSync(real, constants.R_OK | constants.W_OK)
    using stack = new DisposableStack()
    const ownLock = stack.use(lock(`${real}-lock`))
    if (!ownLock) throw unusable(path, 'another serve is using it: end that one, or choose another file')
    const db = stack.use(openOrMake(real, path))
    // WAL is the log of changes, in a file of its own; a negative cache_size is in KiB
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000')
    const { user_version: format } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (format !== FORMAT) throw unusable(path, `its format is ${format}, and this release knows ${FORMAT}`)
    // what is removed is overwritten; if the last process was killed, some of it may still be in the WAL, which is emptied
    db.exec('PRAGMA secure_delete = ON; PRAGMA wal_checkpoint(TRUNCATE)')
    const content = read(db)
    const opened = stack.move()
    return { db, content, [Symbol.dispose]: () => opened.dispose() }
  })
}

/** Erases what is left of removed rows, in the file and in the WAL, and shrinks a file that was made with auto_vacuum. Does not wait.
 *  @returns false when another program reads or writes: then it is to be called again */
export function erase(db: DatabaseSync): boolean {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA incremental_vacuum')
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
  } catch {
    return false
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  }
}

/** The path without links, so that a file with several paths has one lock. The file may be missing. */
function realPath(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync(absolute)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return join(realpathSync(dirname(absolute)), basename(absolute))
  }
}

/** Opens the file at `real`, after making it where it is missing or empty. @param path as it was given, for errors */
function openOrMake(real: string, path: string): DatabaseSync {
  const existing = statSync(real, { throwIfNoEntry: false })
  if (existing === undefined || existing.size === 0) makeFile(real)
  else if (!isDataFile(real))
    throw unusable(
      path,
      'it is not a data file of the local service, and is left as it is; choose another path, where a new one is made',
    )
  // files that SQLite makes beside it get its mode; those that are left there after a kill may have another
  for (const ending of ['', '-wal', '-shm']) keepForOwner(real + ending)
  return new DatabaseSync(real, { timeout: BUSY_MS })
}

function isDataFile(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  using stack = new DisposableStack()
  readSync(stack.adopt(openSync(path, 'r'), closeSync), header, 0, HEADER_BYTES, 0)
  return header.toString('latin1', 0, MAGIC.length) === MAGIC && header.readUInt32BE(ID_AT) === APPLICATION_ID
}

/** Makes an empty data file in a temporary folder and moves it to its place: even if the process is killed, it is never there half made. */
function makeFile(path: string): void {
  using folder = mkdtempDisposableSync(`${path}-`)
  const fresh = join(folder.path, 'data')
  {
    using db = new DatabaseSync(fresh)
    db.exec(SCHEMA)
  }
  chmodSync(fresh, OWNERS_ALONE)
  // SQLite would take what a removed file of this name has left beside it for a part of the new one
  for (const ending of ['-wal', '-shm', '-journal']) rmSync(path + ending, { force: true })
  renameSync(fresh, path)
  const parent = openSync(dirname(path), 'r')
  fsyncSync(parent)
  closeSync(parent)
}

/** Does `act`, and turns what it throws into a ConnectorError that names the file. */
function explainingErrors<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConnectorError) throw error
    const fault = fileFault(error, 'write')
    throw unusable(
      path,
      fault === undefined ? (error as Error).message : `${fault}; choose another file, or change that`,
      error,
    )
  }
}

function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError('config', NO_CODE, `The data file ${path} cannot be used: ${why}.`, { cause })
}
