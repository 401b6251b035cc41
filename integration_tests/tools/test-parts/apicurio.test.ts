import { readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apicurio, APICURIO_JAR } from './apicurio.ts'
import { ownMachine } from './machine.ts'
import type { Part } from './part.ts'

const machine = ownMachine()

/** Maven puts the jar, and one beside it, where it is told, and says where it ran. */
const PROGRAMS = {
  java: `echo 'openjdk version "17.0.15" 2025-04-15' >&2`,
  mvn: `ran=$PWD\nfor option; do case $option in -DoutputDirectory=*)
  cd "\${option#*=}" && mkdir lib && echo one >lib/one.jar && echo "$ran" >ran-in && echo all >'${APICURIO_JAR.split('/').at(-1)}';; esac; done`,
}
const partWith = async (programs: Readonly<Record<string, string>>): Promise<Part> =>
  apicurio(await machine.having(programs), machine.folder)

it('cannot be had without Maven', async () => {
  const fetched = await machine.fetch(await partWith({ java: PROGRAMS.java }))
  expect(fetched).toEqual({ status: 'impossible', reason: 'it needs Maven, and mvn cannot be run' })
})

it.each([APICURIO_JAR, 'registry/lib/one.jar'])('is there once made, and gone with %s', async (file) => {
  const part = await partWith(PROGRAMS)
  const made = await machine.made(part)
  expect(await machine.find(part)).toBe(made)
  await truncate(join(made, file), 1)
  expect(await machine.find(part)).toBeUndefined()
})

it('is fetched in a folder that is gone then: Maven leaves traces where it runs', async () => {
  const made = await machine.made(await partWith(PROGRAMS))
  const ranIn = (await readFile(join(made, 'registry/ran-in'), 'utf8')).trimEnd()
  await expect(readdir(ranIn)).rejects.toThrow(/^ENOENT/)
})
