import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { Docker } from './docker.ts'
import { BASE_IMAGE, BROKER_IMAGE, imageName, withoutDigest, writeImageName } from './image-names.ts'
import { pinImage } from './pin-images.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const OLD = `sha256:${'1'.repeat(64)}`
const NEW = `sha256:${'a0'.repeat(32)}`
const DOCKERFILE =
  'ARG NODE_IMAGE=docker.io/library/node:24\nFROM ${NODE_IMAGE} AS build\nFROM ${NODE_IMAGE}\nARG NODE_IMAGE\n'

const root = ownFolder('test')
beforeEach(async () => {
  await mkdir(join(root, 'deploy'))
  await writeFile(join(root, 'Dockerfile'), DOCKERFILE)
})

/** A client of an engine that does as it is told, and writes down what it was asked. */
async function docker(script: string): Promise<Docker> {
  const program = join(root, 'docker')
  await writeFile(program, `#!/bin/sh\necho "$*" >>'${root}/asked'\n${script}\n`, { mode: 0o755 })
  return new Docker(program, { PATH: '/usr/bin:/bin' }, new AbortController().signal)
}

const dockerfile = (): Promise<string> => readFile(join(root, 'Dockerfile'), 'utf8')

it('names each image once, and takes a digest in its place', async () => {
  expect(withoutDigest(await imageName(BASE_IMAGE))).toMatch(/^docker\.io\/library\/node:24-[\w-]+$/)
  expect(withoutDigest(await imageName(BROKER_IMAGE))).toMatch(/^apache\/kafka:\d+\.\d+\.\d+$/)
  await writeImageName(BASE_IMAGE, `node:24@${OLD}`, root)
  expect(await imageName(BASE_IMAGE, root)).toBe(`node:24@${OLD}`)
  expect(await dockerfile()).toBe(DOCKERFILE.replace('docker.io/library/node:24', `node:24@${OLD}`))
})

it('refuses a file that names its image twice, or not', async () => {
  await writeFile(join(root, 'deploy/compose.yaml'), 'image: ${BROKER_IMAGE:-a:1}\nother: ${BROKER_IMAGE:-a:2}\n')
  await expect(imageName(BROKER_IMAGE, root)).rejects.toThrow('deploy/compose.yaml names its image 2 times, not once.')
  await writeFile(join(root, 'Dockerfile'), 'FROM node:24\n')
  await expect(imageName(BASE_IMAGE, root)).rejects.toThrow('Dockerfile names its image 0 times')
})

it('writes the digest that the registry tells of the tag, over an older one', async () => {
  const digests = `case $1 in image) echo '["mirror.example/node@${OLD}","node@${NEW}"]';; esac`
  const { line, isPinned } = await pinImage(await docker(digests), BASE_IMAGE, root)
  const name = 'docker.io/library/node:24'
  expect({ line, isPinned }).toEqual({ line: `Dockerfile: ${name} is now ${name}@${NEW}`, isPinned: true })
  expect(await imageName(BASE_IMAGE, root)).toBe(`${name}@${NEW}`)
  await writeImageName(BASE_IMAGE, `${name}@${OLD}`, root)
  await pinImage(await docker(digests), BASE_IMAGE, root)
  expect(await imageName(BASE_IMAGE, root)).toBe(`${name}@${NEW}`)
  expect((await pinImage(await docker(digests), BASE_IMAGE, root)).line).toContain('is what the registry has')
  expect(await readFile(join(root, 'asked'), 'utf8')).not.toContain('sha256')
})

it.each([
  ['no engine', 'echo "Cannot connect to the Docker daemon" >&2; exit 1', 'no registry gives it (Cannot connect'],
  ['no registry', 'echo "no such host" >&2; exit 1', 'no registry gives it (no such host)'],
  ['an image made here', `case $1 in image) echo '[]';; esac`, 'the engine tells no digest of it ([])'],
  ['half a digest', `case $1 in image) echo '["node@sha256:abc"]';; esac`, 'the engine tells no digest'],
])('lets the tag stay with %s, and says so', async (_, script, reason) => {
  const { line, isPinned } = await pinImage(await docker(script), BASE_IMAGE, root)
  expect(isPinned).toBe(false)
  expect(line).toContain(`docker.io/library/node:24 stays: ${reason}`)
  expect(await dockerfile()).toBe(DOCKERFILE)
})
