// The images of others that the project builds on: where each is named, once, and by which name. Asks no engine and no registry.

import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface ImagePlace {
  /** A path in the checkout. */
  readonly file: string
  /** Its only match is the name. */
  readonly name: RegExp
}

export const BASE_IMAGE: ImagePlace = { file: 'Dockerfile', name: /(?<=^ARG NODE_IMAGE=)\S+$/gm }
export const BROKER_IMAGE: ImagePlace = { file: 'deploy/compose.yaml', name: /(?<=\$\{BROKER_IMAGE:-)[^}]+(?=\})/g }

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))

/** @returns `REPOSITORY:TAG`, with `@sha256:…` behind it when it is pinned @throws when it is not named once */
export async function imageName({ file, name }: ImagePlace, root = CHECKOUT): Promise<string> {
  const found = (await readFile(`${root}/${file}`, 'utf8')).match(name) ?? []
  if (found.length !== 1) throw new Error(`${file} names its image ${found.length} times, not once.`)
  return found[0]
}

/** Nothing else in the file changes. */
export async function writeImageName(place: ImagePlace, name: string, root = CHECKOUT): Promise<void> {
  await imageName(place, root)
  const path = `${root}/${place.file}`
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replace(place.name, () => name),
  )
}

export function withoutDigest(name: string): string {
  return name.split('@', 1).join('')
}
