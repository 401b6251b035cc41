// Copies core's modules elsewhere, a fault planted. core imports nothing else, so the copy runs where it is.

import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Edit } from './faults.ts'

const CORE = fileURLToPath(new URL('../../src/core', import.meta.url))

/** @throws when an edit does not match exactly once: the engine has changed under it */
export async function plant(edits: readonly Edit[], directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  const files = (await readdir(CORE)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const unknown = edits.find(({ file }) => !files.includes(file))
  if (unknown) throw new Error(`There is no src/core/${unknown.file}: correct faults.ts.`)
  await Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(CORE, file), 'utf8')
      const planted = edits.filter((edit) => edit.file === file).reduce((text, edit) => replaceOnce(text, edit), source)
      await writeFile(join(directory, file), planted)
    }),
  )
}

function replaceOnce(text: string, { file, from, to }: Edit): string {
  const parts = text.split(from)
  if (parts.length !== 2)
    throw new Error(`Found ${parts.length - 1} times, not once, in src/core/${file}: correct faults.ts.\n${from}`)
  return parts.join(to)
}
