// `npm run test:pyairbyte`: lets PyAirbyte, as it is on PyPI, run our executable in every situation. Downloads nothing.
// The last line is `N passed, M failed, K skipped`; without PyAirbyte it is the only one and says how to get it.
// --outputFile.json=FILE writes the counts as Vitest's JSON reporter does; other options are not looked at.

import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { writeResults } from '../results/situations.ts'
import type { Tried } from '../results/situations.ts'
import { findPart, partsFolder } from '../test-parts/part.ts'
import { pyairbyte } from '../test-parts/pyairbyte.ts'
import { sourceFaker } from '../test-parts/source-faker.ts'
import { LAST, SITUATIONS } from './situations.ts'
import type { Situation } from './situations.ts'
import { Stage } from './stage.ts'
import type { Parts } from './stage.ts'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const total = Object.keys(SITUATIONS).length + Object.keys(LAST).length
const tried: Tried[] = []
const from = performance.now()

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

function failed(title: string, error: unknown): void {
  tried.push({ title, error })
  console.log(`not ok  ${title}\n${error instanceof Error ? error.stack : String(error)}`)
}

/** Does them, so many at a time, until they are done or it is asked to stop. */
async function attempt(stage: Stage, situations: Readonly<Record<string, Situation>>, lanes: number): Promise<void> {
  const waiting = Object.entries(situations)
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !stopped.signal.aborted; next = waiting.shift()) {
      const [title, situation] = next
      const since = performance.now()
      try {
        await situation(stage)
        tried.push({ title })
        console.log(`ok      ${title} (${seconds(since)})`)
      } catch (error) {
        failed(`${title} (${seconds(since)})`, error)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function tryAll(parts: Parts): Promise<void> {
  await using stage = await Stage.set({ parts, signal: stopped.signal })
  await attempt(stage, SITUATIONS, Math.min(4, availableParallelism()))
  await attempt(stage, LAST, 1)
}

const root = partsFolder(process.env)
const [library, source] = await Promise.all([findPart(root, pyairbyte), findPart(root, sourceFaker)])
const isThere = library !== undefined && source !== undefined
if (isThere)
  await tryAll({ pyairbyte: library, sourceFaker: source }).catch((error: unknown) => failed('the stage is set', error))

const failures = tried.filter(({ error }) => error !== undefined).length
const passed = tried.length - failures
const skipped = Math.max(0, total - tried.length)
await writeResults(fileURLToPath(import.meta.url), tried, total)
const sum = `${passed} passed, ${failures} failed, ${skipped} skipped`
const advice = 'PyAirbyte test skipped: PyAirbyte is not there, `npm run fetch:test-parts` gets it'
console.log(isThere ? `        ${seconds(from)}\n${sum}` : `${advice}: ${sum}`)
if (failures > 0 || stopped.signal.aborted) process.exitCode = 1
