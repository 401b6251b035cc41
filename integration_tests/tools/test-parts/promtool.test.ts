import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fetchPart, findPart } from './part.ts'
import { promtool } from './promtool.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const { signal } = new AbortController()
const folder = ownFolder('test')
const root = join(folder, 'parts')

/** Downloads into where it is run, unless it is only asked. */
const APT = `case "$*" in *--print-uris*) exit;; *download*) echo deb >prometheus_2_amd64.deb;; esac`
const DPKG = `[ "$1" = --extract ] || exit 0
mkdir -p "$3/usr/bin" "$3/usr/share"; printf '#!/bin/sh\\nexit 0\\n' >"$3/usr/bin/promtool"; chmod 755 "$3/usr/bin/promtool"`

/** A machine with these programs and no others. */
async function machine(programs: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 })
  return { PATH: folder }
}

it.each([
  ['no apt', {}, "it needs Debian's apt-get, which cannot be run"],
  ['no dpkg', { 'apt-get': APT }, "it needs Debian's dpkg-deb, which cannot be run"],
  [
    'no lists of packages',
    { 'apt-get': 'case "$*" in *--print-uris*) exit 100;; esac', 'dpkg-deb': DPKG },
    'apt-get knows no package prometheus: perhaps apt-get update has not been run',
  ],
])('cannot be had with %s', async (_, programs, reason) => {
  const fetched = await fetchPart(root, promtool(await machine(programs)), signal)
  expect(fetched).toEqual({ status: 'impossible', reason })
})

it('is the one program of its package, and found again', async () => {
  const part = promtool(await machine({ 'apt-get': APT, 'dpkg-deb': DPKG }))
  const fetched = await fetchPart(root, part, signal)
  if (fetched.status !== 'made') throw new Error(fetched.status)
  expect(await readdir(fetched.folder)).toEqual(['promtool'])
  expect(await findPart(root, part)).toBe(fetched.folder)
  await rm(join(fetched.folder, 'promtool'))
  expect(await findPart(root, part)).toBeUndefined()
})

it('is not there when the download fails', async () => {
  const failing = 'case "$*" in *--print-uris*) exit;; *download*) echo "E: 404 Not Found" >&2; exit 100;; esac'
  const part = promtool(await machine({ 'apt-get': failing, 'dpkg-deb': DPKG }))
  await expect(fetchPart(root, part, signal)).rejects.toThrow('404 Not Found')
  expect(await findPart(root, part)).toBeUndefined()
})
