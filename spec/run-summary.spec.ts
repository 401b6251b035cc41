// The published schemas of a summary and of a dry run and the table of its members: they are what the program makes summaries by.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { dryRunFileSchema, renewedSummary, summaryFileSchema } from './summary-reference.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

test('they are up to date: else run `npm run generate`', () => {
  expect(JSON.parse(read('./run-summary.schema.json'))).toEqual(summaryFileSchema())
  expect(JSON.parse(read('./dry-run.schema.json'))).toEqual(dryRunFileSchema())
  const page = read('../docs/summary.md')
  expect(renewedSummary(page)).toBe(page)
})
