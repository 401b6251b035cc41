// A list of the files of a part with their sizes, kept beside them: tells later whether all of them are still there, whole.

import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes the list of what is in a folder. */
export async function listFiles(list: string, folder: string): Promise<void> {
  await writeFile(list, JSON.stringify(await sizes(folder)))
}

/** Whether what is in the folder is what was listed. */
export async function areListed(list: string, folder: string): Promise<boolean> {
  try {
    return (await readFile(list, 'utf8')) === JSON.stringify(await sizes(folder))
  } catch {
    return false
  }
}

async function sizes(folder: string): Promise<[string, number][]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    paths
      .toSorted()
      .map(async (path): Promise<[string, number]> => [path.slice(folder.length + 1), (await stat(path)).size]),
  )
}
