// Which file is a data file, and how one comes to be: opened or made, or refused and left as it was.

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
import { ConnectorError } from '../../core/errors.ts'
import { fileFault } from '../../files/file-faults.ts'
import { keepForOwner, lock, OWNERS_ALONE } from '../../files/lock.ts'
import { APPLICATION_ID, FORMAT, SCHEMA } from './sqlite-schema.ts'

export interface DataFile<T> extends Disposable {
  readonly db: DatabaseSync
  /** The result of `read`. */
  readonly content: T
}

const MAGIC = 'SQLite format 3\0'
/** Place of `application_id` in the first bytes of an SQLite file, big-endian. */
const ID_AT = 68
const HEADER = 100
/** How long another program that writes into the file is waited for. */
const BUSY_MS = 5000

/** Opens the data file, or makes it when there is none or an empty one, and lets `read` read it. No other process
 *  serves it until it is disposed; it is its owner's alone to read. A commit is on the disk when it returns (WAL,
 *  synchronous FULL). Throws a ConnectorError (config) when the file is in use by another service, another program's,
 *  damaged, or cannot be written; it is left as it is. */
export function openDataFile<T>(path: string, read: (db: DatabaseSync) => T): DataFile<T> {
  if (path === '') throw new ConnectorError('config', undefined, 'The data file needs a name.')
  return explainingErrors(path, () => {
    const real = realPath(path)
    const found = statSync(real, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw unusable(path, 'it is a folder')
    if (found && !found.isFile()) throw unusable(path, 'it is not a regular file')
    // What SQLite keeps beside a file, and our lock, go by its name.
    if (found && found.nlink > 1) {
      throw unusable(path, 'it has another name too (a hard link), by which somebody else may use it: use a copy of it')
    }
    // SQLite opens what it cannot write all the same, and finds out at the first commit.
    accessSync(dirname(real), constants.W_OK)
    if (found) accessSync(real, constants.R_OK | constants.W_OK)
    using stack = new DisposableStack()
    const held = stack.use(lock(`${real}-lock`))
    if (!held) throw unusable(path, 'another serve is using it: end that one, or choose another file')
    const db = stack.use(openOrMake(real, path))
    // a cache below 0 is in KiB
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000')
    const { user_version: format } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (format !== FORMAT) throw unusable(path, `its format is ${format}, and this release knows ${FORMAT}`)
    // what is removed is overwritten, and a kill may have left some of it in the log of changes
    db.exec('PRAGMA secure_delete = ON; PRAGMA wal_checkpoint(TRUNCATE)')
    const content = read(db)
    const opened = stack.move()
    return { db, content, [Symbol.dispose]: () => opened.dispose() }
  })
}

/** Leaves nothing of removed rows in the file and beside it, and gives their room back where the file was made for
 *  that. Does not wait: false when another program reads or writes, and it is to be done again. */
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

/** The one path of a file with several names: the one file must have one lock. */
function realPath(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync(absolute)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return join(realpathSync(dirname(absolute)), basename(absolute))
  }
}

function openOrMake(real: string, path: string): DatabaseSync {
  const found = statSync(real, { throwIfNoEntry: false })
  if (found === undefined || found.size === 0) makeFile(real)
  else if (!isOurs(real))
    throw unusable(
      path,
      'it is not a data file of the local service, and is left as it is; choose another path, where a new one is made',
    )
  // what SQLite makes beside it has the rights of the file; what a kill has left there may have others
  for (const end of ['', '-wal', '-shm']) keepForOwner(real + end)
  return new DatabaseSync(real, { timeout: BUSY_MS })
}

function isOurs(path: string): boolean {
  const header = Buffer.alloc(HEADER)
  using stack = new DisposableStack()
  readSync(stack.adopt(openSync(path, 'r'), closeSync), header, 0, HEADER, 0)
  return header.toString('latin1', 0, MAGIC.length) === MAGIC && header.readUInt32BE(ID_AT) === APPLICATION_ID
}

/** Makes a file elsewhere and moves it into its place, so that it is whole and known as ours whenever we are killed. */
function makeFile(path: string): void {
  using folder = mkdtempDisposableSync(`${path}-`)
  const fresh = join(folder.path, 'data')
  {
    using db = new DatabaseSync(fresh)
    db.exec(SCHEMA)
  }
  chmodSync(fresh, OWNERS_ALONE)
  // What a removed file of this name has left behind would be read as part of the new one.
  for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
  renameSync(fresh, path)
  const parent = openSync(dirname(path), 'r')
  fsyncSync(parent)
  closeSync(parent)
}

/** Throws what `act` throws as a ConnectorError that names the file. */
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
  return new ConnectorError('config', undefined, `The data file ${path} cannot be used: ${why}.`, { cause })
}
