import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { lock, lockHolder } from './lock.ts'
import { testFolder } from '../local-service/testing/folder.ts'

it('has one holder at a time, and leaves nothing behind', () => {
  using folder = testFolder()
  const path = folder.file('lock')
  for (let round = 0; round < 3; round++) {
    const held = lock(path)!
    expect([lock(path), lock(path)]).toEqual([undefined, undefined])
    held[Symbol.dispose]()
    expect(existsSync(path)).toBe(false)
  }
})

it('is held by whoever locks the file in any way, such as another process', () => {
  using folder = testFolder()
  const path = folder.file('lock')
  const other = new DatabaseSync(path)
  other.exec('BEGIN EXCLUSIVE')
  expect(lock(path)).toBeUndefined()
  other.close()
  lock(path)![Symbol.dispose]()
})

it.runIf(existsSync('/proc/locks'))('knows its holder', () => {
  using folder = testFolder()
  const path = folder.file('lock')
  expect(lockHolder(path)).toBeUndefined()
  using _held = lock(path)
  expect(lockHolder(path)).toBe(process.pid)
})

it('neither takes nor removes a file of that name with something in it', () => {
  using folder = testFolder()
  const [text, database] = [folder.file('text'), folder.file('database')]
  writeFileSync(text, 'somebody’s notes, longer than a header of SQLite is. '.repeat(10))
  const before = readFileSync(text)
  expect(() => lock(text)).toThrow('not a database')
  expect(readFileSync(text)).toEqual(before)
  using db = new DatabaseSync(database)
  db.exec('CREATE TABLE t (a)')
  lock(database)?.[Symbol.dispose]()
  expect(db.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 })
})
