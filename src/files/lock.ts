// A lock that one process holds at a time: SQLite's exclusive lock of an empty file. It ends with the process, even a killed one.

import { chmodSync, closeSync, lstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { codeOf } from '../core/errors.ts'
import { OWNERS_ALONE } from './whole-file.ts'

/** SQLite's error code (SQLITE_BUSY) where another process holds the lock. */
const BUSY = 5

/** Takes the lock of a path. `undefined` when it is held already. Disposing of the lock releases it and removes its file.
 *  @param path of the lock file itself, which is made where it is missing
 *  @throws what node:fs or SQLite throws when the lock cannot be made */
export function lock(path: string): Disposable | undefined {
  for (;;) {
    makeLockFile(path)
    const inodeBefore = inodeOf(path)
    const db = new DatabaseSync(path)
    try {
      // MEMORY, so that no journal file is made beside the lock file
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    } catch (error) {
      db.close()
      if ((error as { errcode?: number }).errcode === BUSY) return undefined
      throw error
    }
    // The last holder may have removed the file between our opening and locking it: then this lock guards nothing,
    // and the next round makes another.
    if (inodeBefore !== undefined && inodeOf(path) === inodeBefore) return { [Symbol.dispose]: () => release(path, db) }
    db.close()
  }
}

/** The id of the process that holds the lock of a path. `undefined` when that is not known: only Linux tells it. */
export function lockHolder(path: string): number | undefined {
  try {
    // a line of /proc/locks: `1: POSIX ADVISORY WRITE 4711 fe:01:1234 0 EOF`, with the process and device:device:inode
    const lineOfLock = new RegExp(`WRITE (\\d+) [\\da-f]+:[\\da-f]+:${inodeOf(path)} `)
    // a process of another container has the number 0
    return Number(lineOfLock.exec(readFileSync('/proc/locks', 'utf8'))?.[1]) || undefined
  } catch {
    return undefined
  }
}

/** Makes the file of a lock, for its owner alone. Does not open one that exists: this process may hold the lock on it, and would lose it on
 *  closing the file, as POSIX locks end with the first close. A file with something in it is no lock file, and keeps its mode. */
function makeLockFile(path: string): void {
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing?.size === 0) keepForOwner(path)
  if (existing !== undefined) return
  try {
    closeSync(openSync(path, 'wx', OWNERS_ALONE))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function release(path: string, db: DatabaseSync): void {
  // removed while still locked; a file with something in it is no lock file
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path, { force: true })
  db.close()
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

/** Lets only its owner read and write the file at a path, if there is one. A file of another user, or on a file system without
 *  rights, stays as it is. */
export function keepForOwner(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return
  try {
    chmodSync(path, OWNERS_ALONE)
  } catch {
    // not this user's to decide
  }
}
