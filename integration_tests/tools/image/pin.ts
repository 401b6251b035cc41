// `npm run pin -- images`: asks an image registry, by way of a Docker engine, for the digests of the images that Dockerfile and
// deploy/compose.yaml name, and writes them there. Exit 1 when a name stays without one.

import { Docker } from './docker.ts'
import { BASE_IMAGE, BROKER_IMAGE } from './image-names.ts'
import { pinImage } from './pin-images.ts'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const docker = new Docker('docker', process.env, stopped.signal)
for (const place of [BASE_IMAGE, BROKER_IMAGE]) {
  const { line, isPinned } = await pinImage(docker, place)
  console.log(line)
  if (!isPinned) process.exitCode = 1
}
