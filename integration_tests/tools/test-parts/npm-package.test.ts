import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { npmPackage } from './npm-package.ts'
import type { NpmPackage } from './npm-package.ts'
import { ownMachine } from './machine.ts'

const machine = ownMachine()
const { folder } = machine
beforeEach(async () => {
  // packs what lies beside it; the archive is the same each time
  await machine.having({ npm: `cp '${folder}/one.tgz' . && echo '[{"filename":"one.tgz"}]'` })
  await writeFile(join(folder, 'one.tgz'), Buffer.from(ARCHIVE, 'base64'))
})

/** package/one.txt, which says `one`. */
const ARCHIVE =
  'H4sIAAAAAAACA+3RMQoCMRQE0F97ipxAsxD2PkEWC8EVjeDx/ViJvYL4XjPDtHPu+2M/LLv1tGzHfcQn1DS39sz0nqm99NynOk8tSo0vuF1Hv5QSfyp/3wQAAAAAAAAAAAA/5wF/IJYVACgAAA=='
const INTEGRITY = 'sha512-I6rP6w5JY+pNlXhnRra7t6wXOLJAcCbH6Vtk980J+ZEAkDqn3dYmpWaF7922N2UcrEQULACfQoLWBqvRCPdknQ=='

function part(integrity: string, spec: string | undefined = 'one@1.0.0'): NpmPackage {
  const environment = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` }
  return npmPackage({ name: 'one', spec, integrity, file: 'one.txt' }, environment)
}

it('is there once fetched, and is linked in place of whatever is there', async () => {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, 'one', 'old'), { recursive: true })
  const made = await machine.made(part(INTEGRITY))
  for (let times = 0; times < 2; times++) {
    await part(INTEGRITY).link(made, modules)
    expect(await readFile(join(modules, 'one/one.txt'), 'utf8')).toBe('one\n')
  }
  expect(await machine.find(part(INTEGRITY))).toBe(made)
  await rm(join(made, 'package/one.txt'))
  expect(await machine.find(part(INTEGRITY))).toBeUndefined()
})

it('is not taken for what was pinned when it is something else', async () => {
  await expect(machine.fetch(part('sha512-other'))).rejects.toThrow(/one@1\.0\.0 is not what was pinned/)
  expect(await machine.find(part('sha512-other'))).toBeUndefined()
})

it('cannot be had where the registry has none for the machine', async () => {
  const none = npmPackage({ name: 'one', spec: undefined, integrity: undefined, file: 'one.txt' }, process.env)
  expect(await machine.fetch(none)).toMatchObject({ status: 'impossible' })
})
