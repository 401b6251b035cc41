// `npm run fetch:test-parts`: gets what some tests need and the project does not hold, into a cache outside the tree (its
// folder: TEST_PARTS, else under XDG_CACHE_HOME or ~/.cache). One line a part; arguments are the beginnings of the names of
// those wanted; `cluster`, which takes ten minutes, and `peer`s, half a gigabyte, only so. Exit 1 when one could not be got that can be.
// KAFKA_VERSION=3.9.2 gets that broker beside the usual one.

import { apicurio } from './apicurio.ts'
import { cluster } from './cluster.ts'
import { promtool } from './debian-programs.ts'
import { kafka, kafkaVersion } from './kafka.ts'
import { npmParts } from './npm-parts.ts'
import { fetchPart, partsFolder, type Part } from './part.ts'
import { peerCdk, peerDrt, peerSinger, pyairbyte, pytest, pythonKafka, sourceFaker } from './python-parts.ts'

const LINKED = npmParts(process.env)
const PARTS: readonly Part[] = [
  pyairbyte,
  sourceFaker,
  pytest,
  kafka(kafkaVersion(process.env), process.env),
  promtool(process.env),
  apicurio(process.env),
  pythonKafka,
  ...LINKED,
]

/** Of those that cost too much to be fetched unless they are named. */
const ON_REQUEST: readonly Part[] = [cluster(process.env), peerCdk, peerSinger, peerDrt]

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const root = partsFolder(process.env)

async function line(part: Part): Promise<string> {
  const from = performance.now()
  try {
    const fetched = await fetchPart(root, part, stopped.signal)
    if (fetched.status === 'impossible') return `${part.name}: not fetched: ${fetched.reason}`
    await LINKED.find(({ name }) => name === part.name)?.link(fetched.folder)
    const how =
      fetched.status === 'there' ? 'is there' : `fetched in ${Math.round((performance.now() - from) / 1000)} s`
    return `${part.name}: ${how} (${fetched.folder})`
  } catch (error) {
    process.exitCode = 1
    const reason = stopped.signal.aborted ? 'interrupted' : error instanceof Error ? error.message : String(error)
    return `${part.name}: failed: ${reason}`
  }
}

const names = process.argv.slice(2)
const all = [...PARTS, ...ON_REQUEST]
const unknown = names.find((name) => !all.some((part) => part.name.startsWith(name)))
if (unknown === undefined) {
  const wanted = names.length === 0 ? PARTS : all.filter((part) => names.some((name) => part.name.startsWith(name)))
  await Promise.all(wanted.map(async (part) => console.log(await line(part))))
} else {
  console.error(`There is no part "${unknown}": ${all.map(({ name }) => name).join(', ')}.`)
  process.exitCode = 2
}
