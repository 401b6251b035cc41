import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { listedFiles, listOf } from './listed-files.ts'
import { fetchPart } from './part.ts'
import type { Part } from './part.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const { signal } = new AbortController()
const folder = ownFolder('test')
let pins = ''
let root = ''
beforeEach(async () => {
  ;[pins, root] = [join(folder, 'pins'), join(folder, 'parts')]
  await mkdir(pins)
})

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
  const fetched = await fetchPart(root, partOf({ 'more/a.jar': 'abc', 'b.jar': 'abcd' }), signal)
  if (fetched.status !== 'made') throw new Error(fetched.status)
  const list = await readFile(join(fetched.folder, 'files.txt'), 'utf8')
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
  await expect(fetchPart(root, partOf(files), signal)).rejects.toThrow(message)
})

it('fetches again what is of the same size and no longer the same', async () => {
  await writeFile(join(pins, 'part.txt'), `3 ${SHA512_OF_ABC} a.jar\n`)
  const part = partOf({ 'a.jar': 'abc' })
  const { folder: made } = (await fetchPart(root, part, signal)) as { folder: string }
  expect(await fetchPart(root, part, signal)).toEqual({ status: 'there', folder: made })
  await writeFile(join(made, 'libs/a.jar'), 'abd')
  expect(await part.works(made)).toBe(true)
  expect(await fetchPart(root, part, signal)).toMatchObject({ status: 'made' })
  expect(part.fetched).toBe(2)
})

it('no longer works when a file is cut', async () => {
  const part = partOf({ 'a.jar': 'abc' })
  const { folder: made } = (await fetchPart(root, part, signal)) as { folder: string }
  await truncate(join(made, 'libs/a.jar'), 1)
  expect(await part.works(made)).toBe(false)
})

it('agrees with itself', async () => {
  await writeFile(join(folder, 'x y'), 'abc')
  await rm(pins, { recursive: true })
  expect(await listOf(folder)).toBe(`3 ${SHA512_OF_ABC} x y\n`)
})
