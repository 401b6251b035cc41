// `npm run test:pyairbyte`: lets PyAirbyte, as it is on PyPI, run our executable in every situation. Downloads nothing.
// The last line is `N passed, M failed, K skipped`; without PyAirbyte it is the only one and says how to get it.
// --outputFile.json=FILE writes the counts as Vitest's JSON reporter does; other options are not looked at.

import { availableParallelism } from 'node:os'
import { Attempts } from '../results/attempts.ts'
import { findPart, partsFolder } from '../test-parts/part.ts'
import { pyairbyte, sourceFaker } from '../test-parts/python-parts.ts'
import { LAST, SITUATIONS, type Situation } from './situations.ts'
import { Stage, type Parts } from './stage.ts'

const attempts = new Attempts()
const { signal } = attempts

/** Tries them, so many at a time, until they are done or it is asked to stop. */
async function tryEach(stage: Stage, situations: Readonly<Record<string, Situation>>, lanes: number): Promise<void> {
  const waiting = Object.entries(situations)
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const [title, situation] = next
      await attempts.try(title, () => situation(stage))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function tryAll(parts: Parts): Promise<void> {
  await using stage = await Stage.set({ parts, signal })
  await tryEach(stage, SITUATIONS, Math.min(4, availableParallelism()))
  await tryEach(stage, LAST, 1)
}

const root = partsFolder(process.env)
const [library, source] = await Promise.all([findPart(root, pyairbyte), findPart(root, sourceFaker)])
const isThere = library !== undefined && source !== undefined
if (isThere)
  await tryAll({ pyairbyte: library, sourceFaker: source }).catch((error: unknown) => {
    attempts.failed('the stage is set', error)
  })
const total = Object.keys(SITUATIONS).length + Object.keys(LAST).length
const advice = 'PyAirbyte is not there, `npm run fetch:test-parts` gets it'
await attempts.end(import.meta.filename, total, isThere ? undefined : advice)
