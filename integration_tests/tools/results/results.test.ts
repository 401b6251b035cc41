import { expect, it } from 'vitest'
import { countsOf, failedFiles, failuresOf, filesWithSkipped, latest, withErrors, withoutFilesOf } from './results.ts'
import type { FileResult, TestResult } from './results.ts'

const tests = (...statuses: TestResult['status'][]): TestResult[] =>
  statuses.map((status, index) => ({ status, fullName: `test ${index}` }))

function file(name: string, assertionResults: TestResult[], message = ''): FileResult {
  const isFailed = message !== '' || assertionResults.some(({ status }) => status === 'failed')
  return { name, status: isFailed ? 'failed' : 'passed', message, assertionResults }
}

const good = file('good', tests('passed', 'passed'))
const bad = file('bad', tests('passed', 'failed', 'skipped'))
const broken = file('broken', [], 'Cannot find module\nstack')
const skipping = file('skipping', tests('skipped', 'pending', 'todo', 'passed'))

it('counts each test once, and a file that could not be loaded as one; tells what failed of it', () => {
  const testResults = [good, bad, broken, skipping]
  expect(countsOf({ testResults })).toEqual({ passed: 4, failed: 2, skipped: 4 })
  expect(failedFiles({ testResults }).map(failuresOf)).toEqual([['test 1'], ['Cannot find module']])
  expect(filesWithSkipped({ testResults })).toEqual([bad, skipping])
  expect(failuresOf({ ...good, status: 'failed' })).toEqual(['a hook of it'])
})

it('lets a later run of a file stand for an earlier', () => {
  const again = file('bad', tests('passed', 'passed', 'passed'))
  const both = latest({ testResults: [good, bad] }, { testResults: [again] })
  expect(countsOf(both)).toEqual({ passed: 5, failed: 0, skipped: 0 })
  expect(withoutFilesOf(both, { testResults: [bad, skipping] })).toEqual({ testResults: [good] })
})

it('takes a file for failed during which an error came up that is no test’s', () => {
  const found = withErrors({ testResults: [good, skipping] }, [{ message: 'nobody caught it', file: 'good' }])
  expect(failedFiles(found).map(failuresOf)).toEqual([['nobody caught it']])
  expect(countsOf(found)).toEqual({ passed: 3, failed: 1, skipped: 3 })
})
