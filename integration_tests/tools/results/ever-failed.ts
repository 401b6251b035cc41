// What failed in any of several runs of the same files. Knows not how they are run.

import { relative } from 'node:path'
import { failedFiles, failuresOf } from './results.ts'
import type { Results } from './results.ts'

/** @param root of the files' paths @returns a line each, the most frequent first */
export function everFailed(runs: readonly Results[], root: string): string[] {
  const failures = runs.flatMap((run) =>
    failedFiles(run).flatMap((file) => failuresOf(file).map((what) => `${relative(root, file.name)}: ${what}`)),
  )
  return [...Map.groupBy(failures, (what) => what)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([what, { length }]) => `failed ${length} of ${runs.length} times: ${what}`)
}
