// `npm run fetch:test-parts`: gets what some tests need and the project does not hold, into a cache outside the tree (its
// folder: TEST_PARTS, else under XDG_CACHE_HOME or ~/.cache). One line a part. Exit 1 when one could not be got that can be.

import { fetchPart, partsFolder } from './part.ts'
import type { Part } from './part.ts'
import { pyairbyte } from './pyairbyte.ts'
import { sourceFaker } from './source-faker.ts'

const PARTS: readonly Part[] = [pyairbyte, sourceFaker]

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const root = partsFolder(process.env)

async function line(part: Part): Promise<string> {
  const from = performance.now()
  try {
    const fetched = await fetchPart(root, part, stopped.signal)
    if (fetched.status === 'impossible') return `${part.name}: not fetched: ${fetched.reason}`
    const how =
      fetched.status === 'there' ? 'is there' : `fetched in ${Math.round((performance.now() - from) / 1000)} s`
    return `${part.name}: ${how} (${fetched.folder})`
  } catch (error) {
    process.exitCode = 1
    const reason = stopped.signal.aborted ? 'interrupted' : error instanceof Error ? error.message : String(error)
    return `${part.name}: failed: ${reason}`
  }
}

await Promise.all(PARTS.map(async (part) => console.log(await line(part))))
