// A machine of a test's own: the programs that it says and no others, and a place for its parts.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'
import { fetchPart, findPart } from './part.ts'
import type { Fetched, Part } from './part.ts'

export interface Machine {
  readonly folder: string
  /** @param programs what each does, for sh @returns the environment that finds them */
  having(programs: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv>
  fetch(part: Part): Promise<Fetched>
  find(part: Part): Promise<string | undefined>
  /** The folder of a part that can be made. */
  made(part: Part): Promise<string>
}

/** To be called once in a file: each of its tests has a new one. */
export function ownMachine(): Machine {
  const folder = ownFolder('test')
  const root = join(folder, 'parts')
  const { signal } = new AbortController()
  const machine: Machine = {
    folder,
    async having(programs) {
      for (const [name, script] of Object.entries(programs))
        await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 })
      return { PATH: folder }
    },
    fetch: (part) => fetchPart(root, part, signal),
    find: (part) => findPart(root, part),
    async made(part) {
      const fetched = await machine.fetch(part)
      if (fetched.status !== 'made') throw new Error(JSON.stringify(fetched))
      return fetched.folder
    },
  }
  return machine
}
