// promtool, which judges what a scrape answers: out of Debian's package prometheus, of which nothing else is kept.

import { execFile } from 'node:child_process'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Part } from './part.ts'

const PACKAGE = 'prometheus'

/** The program in the folder of the part. */
export const PROMTOOL = 'promtool'

/** Of the version that the machine's Debian has. @param environment PATH */
export function promtool(environment: NodeJS.ProcessEnv): Part {
  const run = (command: string, args: readonly string[], options: { cwd?: string; signal?: AbortSignal } = {}) =>
    promisify(execFile)(command, args, { env: environment, ...options })
  const can = (command: string, args: readonly string[], signal?: AbortSignal): Promise<boolean> =>
    run(command, args, signal ? { signal } : {}).then(
      () => true,
      () => false,
    )
  return {
    name: 'promtool',
    recipe: async () => `${PACKAGE}: usr/bin/promtool`,
    async obstacle(signal) {
      for (const [command, args] of [
        ['apt-get', ['--version']],
        ['dpkg-deb', ['--version']],
      ] as const)
        if (!(await can(command, args, signal))) return `it needs Debian's ${command}, which cannot be run`
      if (!(await can('apt-get', ['download', '--print-uris', PACKAGE], signal)))
        return `apt-get knows no package ${PACKAGE}: perhaps apt-get update has not been run`
      signal.throwIfAborted()
      return undefined
    },
    async make(folder, signal) {
      const inside = { cwd: folder, signal }
      await run('apt-get', ['--quiet', 'download', PACKAGE], inside)
      const debs = (await readdir(folder)).filter((name) => name.endsWith('.deb'))
      const unpacked = join(folder, 'package')
      await run('dpkg-deb', ['--extract', debs[0] ?? `${PACKAGE}.deb`, unpacked], inside)
      await rename(join(unpacked, 'usr', 'bin', PROMTOOL), join(folder, PROMTOOL))
      for (const name of [...debs, 'package']) await rm(join(folder, name), { recursive: true })
    },
    works: (folder) => can(join(folder, PROMTOOL), ['--version']),
  }
}
