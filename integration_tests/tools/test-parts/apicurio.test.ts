import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apicurio, APICURIO_JAR } from './apicurio.ts'
import { fetchPart, findPart } from './part.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const { signal } = new AbortController()
const folder = ownFolder('test')
const root = join(folder, 'parts')

const JAVA = `echo 'openjdk version "17.0.15" 2025-04-15' >&2`
/** Puts the jar, and one beside it, where it is told, and says where it ran. */
const MAVEN = `ran=$PWD\nfor option; do case $option in -DoutputDirectory=*)
  cd "\${option#*=}" && mkdir lib && echo one >lib/one.jar && echo "$ran" >ran-in && echo all >'${APICURIO_JAR.split('/').at(-1)}';; esac; done`

/** A machine with these programs and no others. */
async function machine(programs: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> {
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 })
  return { PATH: folder }
}

it.each([
  ['no Java', {}, 'it needs Java 17 or newer, and java cannot be run'],
  ['an old Java', { java: `echo 'openjdk version "11.0.2" 2019-01-15' >&2` }, 'and java is Java 11'],
  ['no Maven', { java: JAVA }, 'it needs Maven, and mvn cannot be run'],
])('cannot be had with %s', async (_, programs, reason) => {
  const fetched = await fetchPart(root, apicurio(await machine(programs), folder), signal)
  expect(fetched).toEqual({ status: 'impossible', reason: expect.stringContaining(reason) })
})

it.each([APICURIO_JAR, 'registry/lib/one.jar'])('is there once made, and gone with %s', async (file) => {
  const part = apicurio(await machine({ java: JAVA, mvn: MAVEN }), folder)
  const fetched = await fetchPart(root, part, signal)
  if (fetched.status !== 'made') throw new Error(fetched.status)
  expect(await findPart(root, part)).toBe(fetched.folder)
  await truncate(join(fetched.folder, file), 1)
  expect(await findPart(root, part)).toBeUndefined()
})

it('is fetched in a folder that is gone then: Maven leaves traces where it runs', async () => {
  const fetched = await fetchPart(root, apicurio(await machine({ java: JAVA, mvn: MAVEN }), folder), signal)
  if (fetched.status !== 'made') throw new Error(fetched.status)
  const ranIn = (await readFile(join(fetched.folder, 'registry/ran-in'), 'utf8')).trimEnd()
  await expect(readdir(ranIn)).rejects.toThrow(/^ENOENT/)
})

it("is not there when Maven fails, and Maven's complaint is told", async () => {
  const mvn = `[ "$3" = --version ] && exit\necho '[ERROR] No such jar: x -> [Help 1]'\nexit 1`
  const part = apicurio(await machine({ java: JAVA, mvn }), folder)
  await expect(fetchPart(root, part, signal)).rejects.toThrow(/^No such jar: x$/)
  expect(await findPart(root, part)).toBeUndefined()
})
