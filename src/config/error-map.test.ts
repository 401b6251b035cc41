// What a message gives as an example can be written in the place it is about.

import { expect, it } from 'vitest'
import type { z } from 'zod'
import { Findings } from './findings.ts'
import type { Path } from './findings.ts'
import { readTree } from './read-tree.ts'
import { streamFileOptions } from './stream/stream-options.ts'
import { writeFileOptions } from './older-names.ts'

/** The problems at a place and below it, of a file that has only that. */
function problemsAt(schema: z.ZodType, path: Path, value: unknown): string[] {
  const given = path.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value)
  const findings = new Findings()
  readTree(given, schema, findings)
  return findings.problems.flatMap(([at, problem]) => (path.every((step, index) => at[index] === step) ? problem : []))
}

const ROUTE: Path = ['topics', 0, 'route']

it.each<[z.ZodType, Path]>([
  [streamFileOptions, ['health']],
  [streamFileOptions, ['dead_letters']],
  [streamFileOptions, ['topics']],
  [streamFileOptions, ['topics', 0]],
  [streamFileOptions, ROUTE],
  [streamFileOptions, [...ROUTE, 'by']],
  [streamFileOptions, [...ROUTE, 'tables', 'order']],
  [streamFileOptions, ['schema_registry']],
  [streamFileOptions, ['metadata_columns']],
  [writeFileOptions, ['streams']],
  [writeFileOptions, ['streams', 0]],
  [writeFileOptions, ['metadata_columns']],
  [writeFileOptions, ['rejected_records']],
  [writeFileOptions, ['sandbox']],
])('%#: takes its own example at %j', (schema, path) => {
  for (const given of [7, 'canary', true]) {
    const problems = problemsAt(schema, path, given)
    expect(problems).toEqual([expect.stringMatching(/^must be an? .* such as .*, found (?:a |true)/)])
    expect(problems[0]).not.toContain('canary')
    const example = JSON.parse(/ such as (.*), found /.exec(problems[0]!)![1]!) as unknown
    expect(problemsAt(schema, path, example)).toEqual([])
  }
})
