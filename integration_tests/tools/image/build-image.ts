// Builds the image from the checkout as it stands.

import type { Docker } from './docker.ts'

const CHECKOUT = new URL('../../../', import.meta.url).pathname
export const TAG = 'destination-analytics-service:image-test'

/** Builds TAG; the one of the run before goes. @param base image's name. Throws with the end of the build's output. */
export async function buildImage(docker: Docker, base: string): Promise<void> {
  await buildFolder(docker, TAG, CHECKOUT, base)
}

/** Builds a tag from a folder's Dockerfile; the image it stood for goes.
 *  @param labels build arguments besides the base. Throws with the end of the build's output. */
export async function buildFolder(
  docker: Docker,
  tag: string,
  folder: string,
  base: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const given = Object.entries(labels).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  const before = await docker.run(['image', 'inspect', '--format', '{{.Id}}', tag])
  const build = async (buildKit: '0' | '1') =>
    docker.run(['build', '--network=host', '--build-arg', `NODE_IMAGE=${base}`, ...given, '--tag', tag, folder], {
      env: { DOCKER_BUILDKIT: buildKit, BUILDKIT_PROGRESS: 'plain' },
      limitSeconds: 900,
    })
  let built = await build('1')
  // A client without the plugin it wants for BuildKit still has the builder before it.
  if (built.code !== 0 && /BuildKit is enabled but|buildx component/.test(built.stderr)) built = await build('0')
  if (built.code !== 0) {
    const said = `${built.stdout}\n${built.stderr}`.trim().split('\n')
    throw new Error(`docker build failed (${built.code}):\n${said.slice(-25).join('\n')}`)
  }
  const after = await docker.output(['image', 'inspect', '--format', '{{.Id}}', tag])
  if (before.code === 0 && before.stdout.trim() !== after) await docker.run(['image', 'rm', before.stdout.trim()])
}
