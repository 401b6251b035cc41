// A lock for one process at a time; it ends with the process, however that ends.

import { chmodSync, closeSync, lstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { codeOf } from '../core/errors.ts'

/** SQLITE_BUSY. */
const BUSY = 5

/** Takes the lock of a path. `undefined` when another process holds it. Disposing of it releases it and removes the
 *  file of the lock, which is empty.
 *  @param path of the lock itself
 *  @throws what node:fs or SQLite throws when the lock cannot be made */
export function lock(path: string): Disposable | undefined {
  for (;;) {
    makeForOwner(path)
    const before = inode(path)
    const db = new DatabaseSync(path)
    try {
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    } catch (error) {
      db.close()
      if ((error as { errcode?: number }).errcode === BUSY) return undefined
      throw error
    }
    // The last holder may have removed the file between our opening and locking it: then this lock guards nothing,
    // and the next round makes another.
    if (before !== undefined && inode(path) === before) return { [Symbol.dispose]: () => release(path, db) }
    db.close()
  }
}

/** The process that holds the lock of that path. `undefined` when that is not known, as everywhere but on Linux. */
export function lockHolder(path: string): number | undefined {
  try {
    const held = new RegExp(`WRITE (\\d+) [\\da-f]+:[\\da-f]+:${inode(path)} `)
    // one of another container has the number 0
    return Number(held.exec(readFileSync('/proc/locks', 'utf8'))?.[1]) || undefined
  } catch {
    return undefined
  }
}

/** Makes the file of a lock, for its owner alone. One that is there is not opened: closed again, it would lose the lock that this process
 *  may hold on it. */
function makeForOwner(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.size === 0) keepForOwner(path)
  if (found !== undefined) return
  try {
    closeSync(openSync(path, 'wx', OWNERS_ALONE))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function release(path: string, db: DatabaseSync): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path, { force: true })
  db.close()
}

function inode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

/** The mode of a file that only its owner may read and write. */
export const OWNERS_ALONE = 0o600

/** Lets only its owner read and write the file of that name, if there is one. A file of another user, or on a file system without
 *  rights, stays as it is. */
export function keepForOwner(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return
  try {
    chmodSync(path, OWNERS_ALONE)
  } catch {
    // not this user's to decide
  }
}
