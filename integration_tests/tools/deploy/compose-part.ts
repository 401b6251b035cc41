// Docker Compose 2, one program: out of Debian's package, of which nothing else is kept. Debian has it since version 13
// (trixie); it runs on older ones.

import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Part } from '../test-parts/part.ts'

const RELEASE = 'trixie'
const PACKAGE = 'docker-compose'
const PLACE = 'usr/libexec/docker/cli-plugins/docker-compose'
const MIRROR = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian', 'Label: Debian']

/** The program in the folder of the part. */
export const COMPOSE = 'docker-compose'

/** @param environment PATH */
export function composePart(environment: NodeJS.ProcessEnv): Part {
  const run = async (command: string, args: readonly string[], options: { cwd?: string; signal?: AbortSignal } = {}) =>
    (await promisify(execFile)(command, args, { env: environment, ...options })).stdout
  const said = (command: string, args: readonly string[], signal?: AbortSignal): Promise<string | undefined> =>
    run(command, args, signal ? { signal } : {}).catch(() => undefined)
  const mirror = async (signal: AbortSignal): Promise<string | undefined> =>
    (await said('apt-get', MIRROR, signal))?.split('\n')[0] || undefined
  return {
    name: COMPOSE,
    recipe: async () => `${RELEASE} ${PACKAGE}: ${PLACE}`,
    async obstacle(signal) {
      for (const command of ['apt-get', 'dpkg-deb'])
        if ((await said(command, ['--version'], signal)) === undefined)
          return `it needs Debian's ${command}, which cannot be run`
      const from = await mirror(signal)
      signal.throwIfAborted()
      return from === undefined
        ? 'apt-get knows no mirror of Debian: perhaps apt-get update has not been run'
        : undefined
    },
    async make(folder, signal) {
      const work = join(folder, 'apt')
      const inside = { cwd: work, signal }
      // lists and settings of its own: the machine's packages are none of its business
      for (const name of ['lists/partial', 'cache/archives/partial', 'sources'])
        await mkdir(join(work, name), { recursive: true })
      await writeFile(join(work, 'sources.list'), `deb ${await mirror(signal)} ${RELEASE} main\n`)
      const places = {
        'Etc::sourcelist': 'sources.list',
        'Etc::sourceparts': 'sources',
        'State::lists': 'lists',
        Cache: 'cache',
      }
      const options = Object.entries(places).flatMap(([name, path]) => ['-o', `Dir::${name}=${join(work, path)}`])
      await run('apt-get', [...options, '--quiet', 'update'], inside)
      await run('apt-get', [...options, '--quiet', 'download', PACKAGE], inside)
      const deb = (await readdir(work)).find((name) => name.endsWith('.deb')) ?? `${PACKAGE}.deb`
      await run('dpkg-deb', ['--extract', deb, 'package'], inside)
      await rename(join(work, 'package', PLACE), join(folder, COMPOSE))
      await rm(work, { recursive: true })
    },
    works: async (folder) => (await said(join(folder, COMPOSE), ['version'])) !== undefined,
  }
}
