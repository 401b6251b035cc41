import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { listedFiles } from './listed-files.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const folder = ownFolder('test')
const [pins, part] = [join(folder, 'pins'), join(folder, 'part')]
const ABC =
  'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'
const { check, works, isGenuine } = listedFiles('part', 'libs', pins)

const give = (path: string, text: string): Promise<void> => writeFile(join(part, 'libs', path), text)
const pin = (list: string): Promise<void> => writeFile(join(pins, 'part.txt'), list)

beforeEach(async () => {
  for (const path of [pins, join(part, 'libs', 'more')]) await mkdir(path, { recursive: true })
})

it('lists sizes and SHA-512 of all files by their paths where the project has no list, and agrees with itself', async () => {
  await give('more/a.jar', 'abc')
  await give('b c.jar', 'abcd')
  await check(part)
  expect(await readFile(join(part, 'files.txt'), 'utf8')).toMatch(
    new RegExp(`^4 [0-9a-f]{128} b c\\.jar\n3 ${ABC} more/a\\.jar\n$`),
  )
  expect([await works(part), await isGenuine(part)]).toEqual([true, true])
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
  await pin(`3 ${ABC} a.jar\n`)
  for (const [path, text] of Object.entries(files)) await give(path, text)
  await expect(check(part)).rejects.toThrow(message)
})

it('sees by its size that a file is cut, and by its bytes that it is another', async () => {
  await pin(`3 ${ABC} a.jar\n`)
  await give('a.jar', 'abd')
  expect([await works(part), await isGenuine(part)]).toEqual([true, false])
  await truncate(join(part, 'libs/a.jar'), 1)
  expect(await works(part)).toBe(false)
})
