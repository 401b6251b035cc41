// A part that is one package of npm's registry, linked into node_modules: `npm ci` does without it, and what imports it finds it
// where any package is. The link is made anew by each fetch, for `npm ci` takes it away.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Part } from './part.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

export interface Wanted {
  /** Of the part, and in node_modules. */
  readonly name: string
  /** NAME@VERSION; undefined: the registry has none for this machine. */
  readonly spec: string | undefined
  /** As the registry names it: sha512-BASE64. */
  readonly integrity: string | undefined
  /** A file of the package that tells that it is there. */
  readonly file: string
}

export interface NpmPackage extends Part {
  /** Puts it into node_modules, the checkout's if not said otherwise. */
  link(folder: string, modules?: string): Promise<void>
}

/** @param environment of npm: PATH and its settings */
export function npmPackage({ name, spec, integrity, file }: Wanted, environment: NodeJS.ProcessEnv): NpmPackage {
  const run = async (command: string, args: readonly string[], cwd: string, signal?: AbortSignal): Promise<string> => {
    const { stdout } = await promisify(execFile)(command, args, { cwd, env: environment, ...(signal && { signal }) })
    return stdout
  }
  return {
    name,
    recipe: async () => `${spec} ${integrity}`,
    obstacle: async () => (spec === undefined ? `there is none for ${process.platform} on ${process.arch}` : undefined),
    async make(folder, signal) {
      const packed = JSON.parse(await run('npm', ['pack', '--json', spec!], folder, signal)) as { filename: string }[]
      const archive = join(folder, packed[0]!.filename)
      const digest = createHash('sha512').update(await readFile(archive))
      const found = `sha512-${digest.digest('base64')}`
      if (found !== integrity) throw new Error(`${spec} is not what was pinned: fetched was ${found}`)
      await run('tar', ['-xzf', archive], folder, signal)
      await rm(archive)
    },
    works: (folder) =>
      access(join(folder, 'package', file)).then(
        () => true,
        () => false,
      ),
    async link(folder, modules = MODULES) {
      const [place, link] = [join(modules, name), join(modules, `.${name}.${process.pid}`)]
      await mkdir(modules, { recursive: true })
      await symlink(join(folder, 'package'), link)
      // a folder is what an installation of before left
      await rename(link, place).catch(async () => {
        await rm(place, { recursive: true })
        await rename(link, place)
      })
    },
  }
}
