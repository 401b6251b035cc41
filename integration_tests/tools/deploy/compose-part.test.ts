import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fetchPart, findPart } from '../test-parts/part.ts'
import { composePart } from './compose-part.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const { signal } = new AbortController()
const folder = ownFolder('test')
const root = join(folder, 'parts')

/** Knows a mirror; downloads into where it is run, if it was told another release's list. */
const APT = `case "$*" in
  indextargets*) echo http://mirror.example/debian; echo http://mirror.example/security;;
  *download*) [ "$(cat sources.list)" = "deb http://mirror.example/debian trixie main" ] && echo deb >docker-compose_2_amd64.deb;;
esac`
const PLACE = 'usr/libexec/docker/cli-plugins'
const DPKG = `[ "$1" = --extract ] || exit 0
mkdir -p "$3/${PLACE}" "$3/usr/share"; printf '#!/bin/sh\\nexit 0\\n' >"$3/${PLACE}/docker-compose"; chmod 755 "$3/${PLACE}/docker-compose"`

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
    'no mirror',
    { 'apt-get': 'true', 'dpkg-deb': DPKG },
    'apt-get knows no mirror of Debian: perhaps apt-get update has not been run',
  ],
])('cannot be had with %s', async (_, programs, reason) => {
  const fetched = await fetchPart(root, composePart(await machine(programs)), signal)
  expect(fetched).toEqual({ status: 'impossible', reason })
})

it('is the one program of its package, and found again', async () => {
  const part = composePart(await machine({ 'apt-get': APT, 'dpkg-deb': DPKG }))
  const fetched = await fetchPart(root, part, signal)
  if (fetched.status !== 'made') throw new Error(fetched.status)
  expect(await readdir(fetched.folder)).toEqual(['docker-compose'])
  expect(await findPart(root, part)).toBe(fetched.folder)
  await rm(join(fetched.folder, 'docker-compose'))
  expect(await findPart(root, part)).toBeUndefined()
})

it('is not there when the download fails', async () => {
  const failing = APT.replace('*download*)', '*download*) echo "E: 404 Not Found" >&2; exit 100;')
  const part = composePart(await machine({ 'apt-get': failing, 'dpkg-deb': DPKG }))
  await expect(fetchPart(root, part, signal)).rejects.toThrow('404 Not Found')
  expect(await findPart(root, part)).toBeUndefined()
})
