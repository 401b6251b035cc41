// The files that a part consists of, with their sizes and SHA-512: by the project's own list (in `pins`), with which what was
// fetched must agree; where it has none, by one that is made beside them. Sizes tell quickly whether all are there, whole.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

/** The project's lists, a file a part. */
export const PINS = fileURLToPath(new URL('pins/', import.meta.url))

const BESIDE = 'files.txt'

/** Each gets the folder of the part. */
export interface ListedFiles {
  /** To be called when the files were fetched. @throws when one is not the one of the project's list */
  readonly check: (folder: string) => Promise<void>
  /** Whether all of them are there, by their sizes. */
  readonly works: (folder: string) => Promise<boolean>
  /** Whether all of them are what was listed, byte for byte. */
  readonly isGenuine: (folder: string) => Promise<boolean>
}

/** @param part its name @param below the folder of its files in that of the part @param pins a folder of lists */
export function listedFiles(part: string, below: string, pins: string): ListedFiles {
  const pinned = (): Promise<string | undefined> => textOf(join(pins, `${part}.txt`))
  const listed = async (folder: string): Promise<string | undefined> =>
    (await pinned()) ?? (await textOf(join(folder, BESIDE)))
  return {
    async check(folder) {
      const [list, found] = [await pinned(), await listOf(join(folder, below))]
      if (list === undefined) return writeFile(join(folder, BESIDE), found)
      if (found !== list) throw new Error(difference(list, found, join(pins, `${part}.txt`)))
    },
    async works(folder) {
      const list = await listed(folder)
      return list !== undefined && sizesOf(list) === (await sizesIn(join(folder, below)).catch(() => undefined))
    },
    async isGenuine(folder) {
      const list = await listed(folder)
      return list !== undefined && list === (await listOf(join(folder, below)).catch(() => undefined))
    },
  }
}

/** A line a file, by its path: `BYTES SHA512 PATH`. */
export async function listOf(folder: string): Promise<string> {
  const lines: string[] = []
  for (const path of await pathsIn(folder)) lines.push(`${await lineOf(join(folder, path), path)}\n`)
  return lines.join('')
}

/** @param path as the line names it */
export async function lineOf(file: string, path: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(file), hash)
  return `${(await stat(file)).size} ${hash.digest('hex')} ${path}`
}

/** Of the first file that is another, missing or one too many. */
function difference(list: string, found: string, file: string): string {
  const [wanted, there] = [byPath(list), byPath(found)]
  const path = [...new Set([...wanted.keys(), ...there.keys()])].find((path) => wanted.get(path) !== there.get(path))!
  const tell = (line: string | undefined): string => line ?? 'no such file'
  return `${path} is not what ${file} says: fetched was "${tell(there.get(path))}", wanted is "${tell(wanted.get(path))}".`
}

function byPath(list: string): Map<string, string> {
  const lines = list.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.split(' ').slice(2).join(' '), line]))
}

/** Paths with sizes. */
function sizesOf(list: string): string {
  return [...byPath(list)].map(([path, line]) => `${line.split(' ', 1).join('')} ${path}\n`).join('')
}

async function sizesIn(folder: string): Promise<string> {
  const lines: string[] = []
  for (const path of await pathsIn(folder)) lines.push(`${(await stat(join(folder, path))).size} ${path}\n`)
  return lines.join('')
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(join(folder).length + 1)).toSorted()
}

function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
