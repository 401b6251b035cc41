// Parts that are one program out of a package of Debian's, of which nothing else is kept.

import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Part } from './part.ts'

interface Packaged {
  /** The package. */
  readonly name: string
  /** The program's path in it. */
  readonly place: string
  /** Whose package is taken; absent: that of the machine's own Debian. */
  readonly release?: string
  /** An argument with which the program ends well. */
  readonly tryWith: string
}

/** Judges what a scrape answers. */
export const promtool = (environment: NodeJS.ProcessEnv): Part =>
  debianProgram({ name: 'prometheus', place: 'usr/bin/promtool', tryWith: '--version' }, environment)

/** Docker Compose 2, which Debian has since version 13 (trixie); it runs on older ones. */
export const compose = (environment: NodeJS.ProcessEnv): Part =>
  debianProgram(
    {
      name: 'docker-compose',
      place: 'usr/libexec/docker/cli-plugins/docker-compose',
      release: 'trixie',
      tryWith: 'version',
    },
    environment,
  )

const MIRROR = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian', 'Label: Debian']

/** The part has the name of its program, which is in its folder. @param environment PATH */
function debianProgram(packaged: Packaged, environment: NodeJS.ProcessEnv): Part {
  const { name, place, release, tryWith } = packaged
  const program = basename(place)
  const run = async (command: string, args: readonly string[], options: { cwd?: string; signal?: AbortSignal } = {}) =>
    (await promisify(execFile)(command, args, { env: environment, ...options })).stdout
  /** What it prints; `undefined` when it fails. */
  const said = (command: string, args: readonly string[], signal?: AbortSignal): Promise<string | undefined> =>
    run(command, args, signal ? { signal } : {}).catch(() => undefined)
  const mirror = async (signal: AbortSignal): Promise<string | undefined> =>
    (await said('apt-get', MIRROR, signal))?.split('\n')[0] || undefined

  /** Options of apt-get by which it has lists and settings of its own: the machine's packages are none of its business. */
  async function optionsOf(wanted: string, work: string, signal: AbortSignal): Promise<string[]> {
    for (const path of ['lists/partial', 'cache/archives/partial', 'sources'])
      await mkdir(join(work, path), { recursive: true })
    await writeFile(join(work, 'sources.list'), `deb ${await mirror(signal)} ${wanted} main\n`)
    const places = {
      'Etc::sourcelist': 'sources.list',
      'Etc::sourceparts': 'sources',
      'State::lists': 'lists',
      Cache: 'cache',
    }
    const options = Object.entries(places).flatMap(([dir, path]) => ['-o', `Dir::${dir}=${join(work, path)}`])
    await run('apt-get', [...options, '--quiet', 'update'], { cwd: work, signal })
    return options
  }

  return {
    name: program,
    recipe: async () => `${release === undefined ? '' : `${release} `}${name}: ${place}`,
    async obstacle(signal) {
      for (const command of ['apt-get', 'dpkg-deb'])
        if ((await said(command, ['--version'], signal)) === undefined)
          return `it needs Debian's ${command}, which cannot be run`
      const isOwn = release === undefined
      const known = isOwn ? said('apt-get', ['download', '--print-uris', name], signal) : mirror(signal)
      const isKnown = (await known) !== undefined
      signal.throwIfAborted()
      const missing = isOwn ? `package ${name}` : 'mirror of Debian'
      return isKnown ? undefined : `apt-get knows no ${missing}: perhaps apt-get update has not been run`
    },
    async make(folder, signal) {
      const work = join(folder, 'apt')
      await mkdir(work)
      const options = release === undefined ? [] : await optionsOf(release, work, signal)
      await run('apt-get', [...options, '--quiet', 'download', name], { cwd: work, signal })
      const deb = (await readdir(work)).find((file) => file.endsWith('.deb')) ?? `${name}.deb`
      await run('dpkg-deb', ['--extract', deb, 'package'], { cwd: work, signal })
      await rename(join(work, 'package', place), join(folder, program))
      await rm(work, { recursive: true })
    },
    works: async (folder) => (await said(join(folder, program), [tryWith])) !== undefined,
  }
}
