// Which version of the program this is.

import { readFile } from 'node:fs/promises'

/** Works from src and dist alike: as long as it is only imported by import(), it is a chunk of its own there. */
const FILE = new URL('../package.json', import.meta.url)

export async function version(): Promise<string> {
  const manifest = JSON.parse(await readFile(FILE, 'utf8')) as { version: string }
  return manifest.version
}
