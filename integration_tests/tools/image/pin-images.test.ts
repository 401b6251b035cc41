import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { Docker } from './docker.ts'
import { BASE_IMAGE, BROKER_IMAGE, imageName, withoutDigest } from './image-names.ts'
import { pinImage, type Pinned } from './pin-images.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const OLD = `sha256:${'1'.repeat(64)}`
const NEW = `sha256:${'a0'.repeat(32)}`
const NAME = 'docker.io/library/node:24'
const dockerfile = (name: string): string => `ARG NODE_IMAGE=${name}\nFROM \${NODE_IMAGE} AS build\nARG NODE_IMAGE\n`

const root = ownFolder('test')
beforeEach(() => writeFile(join(root, 'Dockerfile'), dockerfile(NAME)))

/** Asks an engine that does as it is told. */
async function pinned(script: string): Promise<Pinned> {
  const program = join(root, 'docker')
  await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return await pinImage(new Docker(program, { PATH: '/usr/bin:/bin' }, new AbortController().signal), BASE_IMAGE, root)
}

const written = (): Promise<string> => readFile(join(root, 'Dockerfile'), 'utf8')

it('names each image once', async () => {
  expect(withoutDigest(await imageName(BASE_IMAGE))).toMatch(/^docker\.io\/library\/node:24-[\w-]+$/)
  expect(withoutDigest(await imageName(BROKER_IMAGE))).toMatch(/^apache\/kafka:\d+\.\d+\.\d+$/)
  await writeFile(join(root, 'Dockerfile'), dockerfile(NAME).repeat(2))
  await expect(imageName(BASE_IMAGE, root)).rejects.toThrow('Dockerfile names its image 2 times, not once.')
})

it('writes the digest that the registry tells of the tag, over an older one', async () => {
  const digests = `case $* in image*@sha256*) ;; image*) echo '["mirror.example/node@${OLD}","node@${NEW}"]';; esac`
  const now = { line: `Dockerfile: ${NAME} is now ${NAME}@${NEW}`, isPinned: true }
  expect([await pinned(digests), await written()]).toEqual([now, dockerfile(`${NAME}@${NEW}`)])
  expect((await pinned(digests)).line).toContain('is what the registry has')
  await writeFile(join(root, 'Dockerfile'), dockerfile(`${NAME}@${OLD}`))
  await pinned(digests)
  expect(await written()).toBe(dockerfile(`${NAME}@${NEW}`))
})

it.each([
  ['no engine', 'echo "Cannot connect to the Docker daemon" >&2; exit 1', 'no registry gives it (Cannot connect'],
  ['an image made here', `case $1 in image) echo '[]';; esac`, 'the engine tells no digest of it ([])'],
  ['half a digest', `case $1 in image) echo '["node@sha256:abc"]';; esac`, 'the engine tells no digest'],
])('lets the tag stay with %s, and says so', async (_, script, reason) => {
  const { line, isPinned } = await pinned(script)
  expect([isPinned, line]).toEqual([false, expect.stringContaining(`${NAME} stays: ${reason}`)])
  expect(await written()).toBe(dockerfile(NAME))
})
