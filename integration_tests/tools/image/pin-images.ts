// Writes digests into the names of images, as an image registry tells them to a Docker engine. None is made up: without a
// registry a name stays as it is.

import type { Docker } from './docker.ts'
import { imageName, withoutDigest, writeImageName, type ImagePlace } from './image-names.ts'

const PULL_SECONDS = 600

export interface Pinned {
  /** A line for a person. */
  readonly line: string
  readonly isPinned: boolean
}

/** @param root of the checkout */
export async function pinImage(docker: Docker, place: ImagePlace, root?: string): Promise<Pinned> {
  const before = await imageName(place, root)
  const name = withoutDigest(before)
  const stays = (reason: string): Pinned => ({ line: `${place.file}: ${before} stays: ${reason}`, isPinned: false })
  const pulled = await docker.run(['pull', '--quiet', name], { limitSeconds: PULL_SECONDS })
  if (pulled.code !== 0) return stays(`no registry gives it (${lastLine(pulled.stderr)})`)
  const { stdout } = await docker.run(['image', 'inspect', '--format', '{{json .RepoDigests}}', name])
  const digest = digestOf(stdout, name)
  if (digest === undefined) return stays(`the engine tells no digest of it (${lastLine(stdout)})`)
  const after = `${name}@${digest}`
  if (after === before) return { line: `${place.file}: ${before} is what the registry has`, isPinned: true }
  await writeImageName(place, after, root)
  return { line: `${place.file}: ${before} is now ${after}`, isPinned: true }
}

/** The one of the repository it was pulled from. @param json `["node@sha256:…"]`: Docker leaves out its own registry */
function digestOf(json: string, name: string): string | undefined {
  const repository = name.replace(/:[^:/]*$/, '').replace(/^docker\.io\/(?:library\/)?/, '')
  const digests = [...json.matchAll(/"([^"@]+)@(sha256:[0-9a-f]{64})"/g)]
  return digests.find(([, of]) => of === repository)?.[2]
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
