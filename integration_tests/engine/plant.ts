// Copies the rooms core, service and json elsewhere, a fault planted. They import nothing but each other and packages, so
// the copy runs where it is.

import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const ROOMS = ['core', 'service', 'json']

/** @throws when an edit does not match exactly once: the engine has changed under it */
export async function plant(edits: readonly Edit[], directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  await symlink(PACKAGES, join(directory, 'node_modules'))
  const files = (await Promise.all(ROOMS.map(sourcesOf))).flat()
  const pathOf = (file: string): string => pathAmong(files, file)
  await Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(SRC, file), 'utf8')
      const planted = edits.filter((edit) => pathOf(edit.file) === file).reduce(replaceOnce, source)
      await mkdir(dirname(join(directory, file)), { recursive: true })
      await writeFile(join(directory, file), planted)
    }),
  )
}

async function sourcesOf(room: string): Promise<string[]> {
  const files = await readdir(join(SRC, room), { recursive: true })
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).map((file) => `${room}/${file}`)
}

/** Below src: a file is named by the end of its path, core's by their names alone. */
function pathAmong(files: readonly string[], file: string): string {
  const found = files.filter((path) => path === file || (path.startsWith('core/') && path.endsWith(`/${file}`)))
  if (found.length !== 1) throw new Error(`${file} names ${found.length} files of src, not one: correct faults.ts.`)
  return found[0]!
}

function replaceOnce(text: string, { file, from, to }: Edit): string {
  const parts = text.split(from)
  if (parts.length !== 2)
    throw new Error(`Found ${parts.length - 1} times, not once, in ${file}: correct faults.ts.\n${from}`)
  return parts.join(to)
}

export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

export interface Fault {
  readonly name: string
  readonly edits: readonly Edit[]
}
