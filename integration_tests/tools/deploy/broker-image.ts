// Sees to it that an engine has the broker image a compose file names: the public one, else a stand-in of the same name.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFolder } from '../image/build-image.ts'
import type { Docker } from '../image/docker.ts'
import type { Engine } from '../image/find-engine.ts'
import { withoutDigest } from '../image/image-names.ts'
import { fetchPart, partsFolder } from '../test-parts/part.ts'
import { brokerJars, JARS } from './broker-jars.ts'

const FILES = new URL('broker-image/', import.meta.url).pathname
/** Keeps its layers, so that the next run need not make them again. */
const KEPT = 'destination-analytics-service-broker:stand-in'
const PULL_SECONDS = 600

/** Disposing of it takes the public name from a stand-in. */
export interface BrokerImage extends AsyncDisposable {
  /** For a person. */
  readonly kind: string
  /** That the engine has it by. */
  readonly name: string
}

/** @param pinned name of the public image, with its version as the tag and perhaps a digest
 *  @returns the image, or why there is none. Throws when a stand-in could be made and was not. */
export async function provideBrokerImage(
  { docker, base }: Engine,
  pinned: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<BrokerImage | string> {
  if (await hasPublic(docker, pinned)) return { kind: pinned, name: pinned, [Symbol.asyncDispose]: async () => {} }
  const name = withoutDigest(pinned)
  const version = name.split(':').at(-1)!
  const jars = await fetchPart(partsFolder(env), brokerJars(version, env), signal)
  if (jars.status === 'impossible') return `the engine cannot pull ${pinned}, and for a stand-in ${jars.reason}`
  const work = await mkdtemp(join(tmpdir(), 'broker-image-'))
  try {
    await cp(FILES, work, { recursive: true })
    await cp(join(jars.folder, JARS), join(work, JARS), { recursive: true })
    await buildFolder(docker, KEPT, work, base)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  await docker.output(['tag', KEPT, name])
  return {
    kind: `a stand-in for ${pinned}`,
    name,
    async [Symbol.asyncDispose]() {
      await docker.unstoppable().run(['image', 'rm', name])
    },
  }
}

/** A stand-in that a killed run left under the name does not count. */
async function hasPublic(docker: Docker, name: string): Promise<boolean> {
  const idOf = async (image: string): Promise<string | undefined> => {
    const { code, stdout } = await docker.run(['image', 'inspect', '--format', '{{.Id}}', image])
    return code === 0 ? stdout.trim() : undefined
  }
  const [named, kept] = [await idOf(name), await idOf(KEPT)]
  if (named !== undefined && named !== kept) return true
  return (await docker.run(['pull', '--quiet', name], { limitSeconds: PULL_SECONDS })).code === 0
}
