// Says as a run's last line what it skipped. Not a reporter, for those on the command line would take its place; it speaks when
// all of them have, and everything that was started for the run is stopped.

import { relative } from 'node:path'
import type { TestCase, TestProject, TestSuite, Vitest } from 'vitest/node'
import type { Need } from './needs.ts'
import { skippedLine, type Skipped } from './skipped-line.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What tests are skipped for. */
    needs?: Need
  }
}

/** Of all projects: each loads this file for itself. */
const SPEAKING = Symbol.for('says what a run skipped')
const runs = globalThis as { [SPEAKING]?: WeakSet<Vitest> }

/** For the global set-up of each project: it speaks once. */
export default function setUp({ vitest }: TestProject): void {
  // what a pattern leaves out looks as if it were skipped
  if (vitest.config.testNamePattern !== undefined) return
  const speaking = (runs[SPEAKING] ??= new WeakSet())
  if (speaking.has(vitest)) return
  speaking.add(vitest)
  vitest.onClose(() => {
    const line = skippedLine(skippedTests(vitest), commandOf(process.env))
    if (line !== undefined) console.log(line)
  })
}

/** @param environment as npm sets it for its scripts */
function commandOf({ npm_lifecycle_event: script }: NodeJS.ProcessEnv): string {
  return script === undefined || script === 'test' ? 'npm test' : `npm run ${script}`
}

/** Those of which the run, or their own file, said that they are; not those that a failed hook kept from running. */
function skippedTests({ state, config }: Vitest): Skipped[] {
  return state
    .getTestModules()
    .flatMap((module) => Array.from(module.children.allTests()))
    .filter((test) => isToBeSkipped(test) || noteOf(test) !== undefined)
    .map((test) => ({ needs: needsOf(test), file: relative(config.root, test.module.moduleId) }))
}

/** Vitest hands it on to the tests of a describe, but not of one within. */
function isToBeSkipped({ options, parent }: TestCase | TestSuite): boolean {
  return options.mode === 'skip' || (parent.type === 'suite' && isToBeSkipped(parent))
}

function needsOf(test: TestCase | TestSuite): Need | undefined {
  const { needs } = test.meta()
  if (needs !== undefined || test.parent.type === 'module') return needs
  return needsOf(test.parent)
}

function noteOf(test: TestCase): string | undefined {
  const result = test.result()
  return result.state === 'skipped' ? result.note : undefined
}
