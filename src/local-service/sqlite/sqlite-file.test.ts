import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { testFolder } from '../testing/folder.ts'
import { openDataFile, type DataFile } from './sqlite-file.ts'
import { ROWS, TABLES } from './sqlite-schema.ts'

function open(path: string): DataFile<unknown> {
  return openDataFile(path, (db) => db.prepare(`SELECT count(*) AS n FROM ${TABLES}`).get())
}

it('makes a file that is there again, and nothing beside it', () => {
  using folder = testFolder()
  const path = folder.file('a b.db')
  for (const n of [0, 1]) {
    using file = open(path)
    expect(file.content).toEqual({ n })
    expect(file.db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(file.db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
    file.db.exec(`INSERT INTO ${TABLES} VALUES (NULL, ${n}, 't', 't')`)
  }
  expect(readdirSync(folder.path)).toEqual(['a b.db'])
})

it('is its owner’s alone, with all that is beside it, whatever it was before', () => {
  using folder = testFolder()
  const path = folder.file('x.db')
  const names = ['x.db', 'x.db-lock', 'x.db-shm', 'x.db-wal']
  const write = (file: DataFile<unknown>, table: string): void =>
    file.db.exec(`INSERT INTO ${TABLES} VALUES (NULL, 7, '${table}', '${table}')`)
  {
    using file = open(path)
    write(file, 'first')
    expect(modes(folder.path)).toEqual(Object.fromEntries(names.map((name) => [name, '600'])))
    // As after a kill, with rights as they were before.
    for (const name of names) copyFileSync(folder.file(name), folder.file(name.replace('x', 'y')))
  }
  for (const name of ['x.db', ...names.map((name) => name.replace('x', 'y'))]) chmodSync(folder.file(name), 0o664)
  using old = open(path)
  using killed = open(folder.file('y.db'))
  write(old, 'second')
  write(killed, 'second')
  expect(new Set(Object.values(modes(folder.path)))).toEqual(new Set(['600']))
  expect(Object.keys(modes(folder.path))).toHaveLength(8)
})

it('takes an empty file, and names that SQLite gives a meaning', () => {
  using folder = testFolder()
  const empty = folder.file('empty.db')
  writeFileSync(empty, '')
  chmodSync(empty, 0o666)
  open(empty)[Symbol.dispose]()
  expect(statSync(empty).mode & 0o777).toBe(0o600)
  for (const name of [':memory:', 'file:x?mode=memory', 'é😀.db']) open(folder.file(name))[Symbol.dispose]()
  expect(readdirSync(folder.path).sort()).toEqual([':memory:', 'empty.db', 'file:x?mode=memory', 'é😀.db'].sort())
})

it('leaves what is not ours as it is, says so, and leaves nothing beside it', () => {
  using folder = testFolder()
  const path = (name: string): string => folder.file(name)
  mkdirSync(path('folder'))
  symlinkSync(path('folder'), path('link'))
  writeFileSync(path('short'), 'x')
  writeFileSync(path('text'), 'not a database at all\n'.repeat(1000))
  using other = new DatabaseSync(path('other.db'))
  other.exec('CREATE TABLE orders (id); PRAGMA application_id = 7')
  copyFileSync(path('other.db'), path('copy.db'))
  const later = open(path('later.db'))
  later.db.exec('PRAGMA user_version = 2')
  later[Symbol.dispose]()
  const damaged = Buffer.alloc(statSync(path('later.db')).size, 'x')
  readFileSync(path('later.db')).copy(damaged, 0, 0, 100)
  writeFileSync(path('damaged.db'), damaged)
  const before = contents(folder.path)
  const wrong: [string, RegExp][] = [
    [path('folder'), /is a folder/],
    [path('link'), /is a folder/],
    ['/dev/null', /not a regular file/],
    [path('short'), /not a data file of the local service/],
    [path('text'), /not a data file of the local service/],
    [path('other.db'), /not a data file of the local service/],
    [path('copy.db'), /not a data file of the local service/],
    [path('later.db'), /format is 2, and this release knows 1/],
    [path('damaged.db'), /malformed/],
    [path('no folder/x.db'), /there is no such folder/],
    [path('text/x.db'), /there is no such folder/],
    ['', /needs a name/],
  ]
  for (const [file, message] of wrong) {
    const refused = expect.objectContaining({ kind: 'config', message: expect.stringMatching(message) })
    expect(() => open(file), file).toThrow(refused)
  }
  expect(contents(folder.path)).toEqual(before)
})

it('is served once, whatever name it is called by', () => {
  using folder = testFolder()
  const path = folder.file('x.db')
  {
    using file = open(path)
    symlinkSync(path, folder.file('link.db'))
    expect(() => open(path)).toThrow('another serve is using it')
    expect(() => open(folder.file('link.db'))).toThrow('another serve is using it')
    // What a refused second one does must not take locks from the first.
    expect(() => openDataFile(path, () => {})).toThrow('another serve')
    file.db.exec(`INSERT INTO ${TABLES} VALUES (NULL, 7, 't', 't')`)
  }
  using again = open(folder.file('link.db'))
  expect(again.content).toEqual({ n: 1 })
})

it('is not served under one of two names', () => {
  using folder = testFolder()
  const path = folder.file('x.db')
  open(path)[Symbol.dispose]()
  linkSync(path, folder.file('hard.db'))
  const before = contents(folder.path)
  for (const name of ['x.db', 'hard.db']) expect(() => open(folder.file(name))).toThrow(/another name.*use a copy/)
  expect(contents(folder.path)).toEqual(before)
})

it('lets go of a file it could not read', () => {
  using folder = testFolder()
  const path = folder.file('x.db')
  const failing = (): never => {
    throw new Error('out of luck')
  }
  expect(() => openDataFile(path, failing)).toThrow('out of luck')
  using file = open(path)
  expect(file.content).toEqual({ n: 0 })
})

it('reads nothing of what a removed file has left behind', () => {
  using folder = testFolder()
  const path = folder.file('x.db')
  using file = open(path)
  file.db.exec(`INSERT INTO ${ROWS} VALUES (1, 1, 'a', 'old')`)
  // As after a kill: the log of changes holds the row, the file does not.
  copyFileSync(`${path}-wal`, folder.file('y.db-wal'))
  using other = open(folder.file('y.db'))
  expect(other.content).toEqual({ n: 0 })
  expect(other.db.prepare(`SELECT count(*) AS n FROM ${ROWS}`).get()).toEqual({ n: 0 })
})

function modes(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(`${folder}/${name}`).mode & 0o777).toString(8)]),
  )
}

function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((it) => it.isFile())
  return Object.fromEntries(files.map(({ name }) => [name, readFileSync(`${folder}/${name}`).toString('base64')]))
}
