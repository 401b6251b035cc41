// `npm run pin -- test-parts`: fetches what comes from Maven's repositories anew, and writes sizes and SHA-512 of all its files into
// `pins`. To be run after a version has changed; look at what changes, and commit it.

import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brokerJars, JARS as IMAGE_JARS } from '../deploy/broker-jars.ts'
import { BROKER_IMAGE, imageName, withoutDigest } from '../image/image-names.ts'
import { apicurio, UNPACKED } from './apicurio.ts'
import { JARS, kafka, kafkaVersion } from './kafka.ts'
import { listOf, PINS } from './listed-files.ts'
import { fetchPart } from './part.ts'

/** That tests run with too when they are told. */
const OTHER_VERSION = '3.9.2'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

await using folder = await mkdtempDisposable(join(tmpdir(), 'pin-'))
// without lists to agree with, and nothing of what Maven fetched before
const none = join(folder.path, 'none')
const repository = `-Dmaven.repo.local=${join(folder.path, 'repository')}`
const environment = { ...process.env, MAVEN_OPTS: `${process.env['MAVEN_OPTS'] ?? ''} ${repository}` }
const imageVersion = withoutDigest(await imageName(BROKER_IMAGE))
  .split(':')
  .at(-1)!
const parts = [
  [kafka(kafkaVersion({}), environment, none), JARS],
  [kafka(OTHER_VERSION, environment, none), JARS],
  [brokerJars(imageVersion, environment, none), IMAGE_JARS],
  [apicurio(environment, none), UNPACKED],
] as const

await mkdir(PINS, { recursive: true })
for (const [part, below] of parts) {
  const fetched = await fetchPart(join(folder.path, 'parts'), part, stopped.signal)
  if (fetched.status === 'impossible') throw new Error(`${part.name}: ${fetched.reason}`)
  const file = join(PINS, `${part.name}.txt`)
  const [before, list] = [await readFile(file, 'utf8').catch(() => ''), await listOf(join(fetched.folder, below))]
  await writeFile(file, list)
  console.log(`${part.name}: ${before === list ? 'as before' : 'written'}`)
}
