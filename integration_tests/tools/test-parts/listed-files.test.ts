import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { listedFiles, listOf } from './listed-files.ts'
import { ownMachine } from './machine.ts'
import type { Part } from './part.ts'

const machine = ownMachine()
const pins = join(machine.folder, 'pins')
beforeEach(() => mkdir(pins))

/** Of these files, by their paths; counts how often it was fetched. */
function partOf(files: Readonly<Record<string, string>>): Part & { fetched: number } {
  const { check, works, isGenuine } = listedFiles('part', 'libs', pins)
  const part: Part & { fetched: number } = {
    fetched: 0,
    name: 'part',
    recipe: async () => 'part',
    obstacle: async () => undefined,
    async make(target) {
      part.fetched++
      await mkdir(join(target, 'libs', 'more'), { recursive: true })
      for (const [path, text] of Object.entries(files)) await writeFile(join(target, 'libs', path), text)
      await check(target)
    },
    works,
    isGenuine,
  }
  return part
}

const SHA512_OF_ABC =
  'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'

it('lists sizes and SHA-512 of all files, by their paths', async () => {
  const made = await machine.made(partOf({ 'more/a.jar': 'abc', 'b.jar': 'abcd' }))
  const list = await readFile(join(made, 'files.txt'), 'utf8')
  expect(list).toMatch(/^4 [0-9a-f]{128} b\.jar\n/)
  expect(list.split('\n')[1]).toBe(`3 ${SHA512_OF_ABC} more/a.jar`)
})

it.each([
  [
    'another',
    { 'a.jar': 'abd' },
    /a\.jar is not what .*part\.txt says: fetched was "3 [0-9a-f]+ a\.jar", wanted is "3 /,
  ],
  ['missing', {}, /a\.jar is not .*: fetched was "no such file"/],
  ['one too many', { 'a.jar': 'abc', 'c.jar': '' }, /c\.jar is not .*wanted is "no such file"/],
])('takes nothing when a file is %s', async (_, files, message) => {
  await writeFile(join(pins, 'part.txt'), `3 ${SHA512_OF_ABC} a.jar\n`)
  await expect(machine.fetch(partOf(files))).rejects.toThrow(message)
})

it('fetches again what is of the same size and no longer the same', async () => {
  await writeFile(join(pins, 'part.txt'), `3 ${SHA512_OF_ABC} a.jar\n`)
  const part = partOf({ 'a.jar': 'abc' })
  const made = await machine.made(part)
  expect(await machine.fetch(part)).toEqual({ status: 'there', folder: made })
  await writeFile(join(made, 'libs/a.jar'), 'abd')
  expect(await part.works(made)).toBe(true)
  expect(await machine.fetch(part)).toMatchObject({ status: 'made' })
  expect(part.fetched).toBe(2)
})

it('no longer works when a file is cut', async () => {
  const part = partOf({ 'a.jar': 'abc' })
  const made = await machine.made(part)
  await truncate(join(made, 'libs/a.jar'), 1)
  expect(await part.works(made)).toBe(false)
})

it('agrees with itself', async () => {
  await writeFile(join(pins, 'x y'), 'abc')
  expect(await listOf(pins)).toBe(`3 ${SHA512_OF_ABC} x y\n`)
})
