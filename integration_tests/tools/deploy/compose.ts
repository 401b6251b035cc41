// Finds Docker Compose 2 for an engine: the one of its client, else the one of a test part. Knows no compose file.

import { join } from 'node:path'
import { Docker } from '../image/docker.ts'
import { compose } from '../test-parts/debian-programs.ts'
import { fetchPart, partsFolder } from '../test-parts/part.ts'

export interface Compose {
  readonly client: Docker
  /** What stands before its own arguments. */
  readonly prefix: readonly string[]
  readonly version: string
}

/** @returns Compose, or why there is none */
export async function findCompose(
  docker: Docker,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Compose | string> {
  const own = await docker.run(['compose', 'version', '--short'])
  if (own.code === 0) return { client: docker, prefix: ['compose'], version: own.stdout.trim() }
  const wanted = compose(env)
  const part = await fetchPart(partsFolder(env), wanted, signal)
  if (part.status === 'impossible') return `the Docker client has no Compose, and to get it ${part.reason}`
  // the client knows its engine by its environment, its contexts or its default; Compose alone by this
  const DOCKER_HOST = await docker.output(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'])
  const client = new Docker(join(part.folder, wanted.name), { ...env, DOCKER_HOST }, signal)
  return { client, prefix: [], version: await client.output(['version', '--short']) }
}
