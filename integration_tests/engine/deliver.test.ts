// The whole engine, as `write` composes it, in virtual time: whatever happens, every law holds.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { engine } from './engine.ts'
import { histories } from './history.ts'
import type { History } from './history.ts'
import { explain, play } from './play.ts'

const HISTORIES = 10_000

test(`every law holds in ${HISTORIES} histories`, { timeout: 120_000 }, async () => {
  const isLawful = fc.asyncProperty(histories, async (history) => {
    const { broken } = await play(engine, history)
    if (broken) throw new Error(`${broken.law}: ${broken.how}`)
  })
  const run = await fc.check<[History]>(isLawful, { numRuns: HISTORIES })
  const [history] = run.counterexample ?? []
  if (history) expect.fail(`seed ${run.seed}, path ${run.counterexamplePath}\n${await explain(engine, history)}`)
  expect(run.failed, String(run.errorInstance)).toBe(false)
  expect(run.numRuns).toBe(HISTORIES)
})
