// Hands steps to drive.py and reads what came of them.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Stage } from './stage.ts'

const DRIVER = fileURLToPath(new URL('drive.py', import.meta.url))

/** A `check` by an executable, or by an image on the network of this machine. */
type Check = { readonly config: object } & ({ readonly executable: string } | { readonly image: string })

/** A `write` of what `get_source` makes of these arguments. */
export type Write = Check & {
  readonly source: { readonly name: string; readonly config: object }
  readonly write: { readonly cache?: false; readonly state_cache?: false; readonly write_strategy: string }
}

export interface Result {
  readonly records?: number
  /** Streams whose states came back. */
  readonly states?: readonly string[]
  /** The exception's class. */
  readonly failed?: string
  readonly message?: string
  /** Ours, as PyAirbyte finds them in its log. */
  readonly words?: string
}

export interface Driven {
  readonly results: readonly Result[]
  /** Of each step: what the names of the wrappers' copies begin with. */
  readonly captures: readonly string[]
  readonly stderr: string
}

/** Does the steps in one process of PyAirbyte. */
export async function drive(stage: Stage, steps: readonly (Check | Write)[]): Promise<Driven> {
  const folder = await stage.work()
  const captures = steps.map((_, index) => join(folder, `step-${index}`))
  const job = steps.map((step, index) => ({ ...step, capture: captures[index] }))
  const [jobFile, resultFile] = [join(folder, 'job.json'), join(folder, 'results.json')]
  await writeFile(jobFile, JSON.stringify(job))
  const done = await stage.run('python', [DRIVER, jobFile, resultFile], folder)
  assert.equal(done.code, 0, done.stderr)
  return { results: JSON.parse(await readFile(resultFile, 'utf8')) as Result[], captures, stderr: done.stderr }
}
