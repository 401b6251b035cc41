import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { readFileText } from './read-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-file-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

test('a file comes back whole, without its byte order mark', async () => {
  const text = 'é'.repeat(100_000)
  await writeFile(join(folder, 'a'), `\uFEFF${text}`)
  expect(await readFileText(join(folder, 'a'), '--config')).toBe(text)
})

test.each([
  ['missing.json', 'there is no such file'],
  ['a/b', 'there is no such file'],
  ['.', 'it is a directory'],
  ['a\0b', 'cannot be read'],
  ['/dev/zero', 'it is larger than 100000 bytes'],
  ['latin1', 'it is not UTF-8 text'],
])('%j: %s', async (name, words) => {
  await writeFile(join(folder, 'a'), '{}')
  await writeFile(join(folder, 'latin1'), Buffer.from('{"é":1}', 'latin1'))
  await expect(readFileText(resolve(folder, name), '--config', 100_000)).rejects.toMatchObject({
    name: 'ConnectorError',
    kind: 'config',
    message: expect.stringMatching(new RegExp(`^The file ".*" of --config .*${words}`)),
  })
})
