import { expect, it } from 'vitest'
import { countsOf, failedFiles, failuresOf } from './results.ts'
import { resultsOf } from './situations.ts'

it('tells what was tried, what failed and how much was not tried', () => {
  const results = resultsOf('run.ts', [{ title: 'builds' }, { title: 'comes up', error: new Error('it does not') }], 5)
  expect(countsOf(results)).toEqual({ passed: 1, failed: 1, skipped: 3 })
  expect(failedFiles(results).map(failuresOf)).toEqual([['comes up']])
  expect(results.testResults[0]!.assertionResults[1]!.failureMessages![0]).toContain('it does not')
})
