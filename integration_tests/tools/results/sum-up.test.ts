import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { FileResult, TestResult } from './results.ts'

const PROGRAM = fileURLToPath(new URL('sum-up.ts', import.meta.url))

const test = (status: TestResult['status'], fullName: string): TestResult => ({
  status,
  fullName,
  failureMessages: status === 'failed' ? ['why'] : [],
})

const file = (name: string, ...assertionResults: TestResult[]): FileResult => ({
  name,
  status: assertionResults.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
  message: '',
  assertionResults,
})

async function sumUp(groups: Readonly<Record<string, unknown>>, failedSteps: number): Promise<[number, string[]]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sum-up-'))
  for (const [name, group] of Object.entries(groups))
    await writeFile(join(folder.path, `${name}.json`), JSON.stringify(group))
  return await new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, folder.path, `${failedSteps}`], (error, stdout) =>
      resolve([Number(error?.code ?? 0), stdout.trimEnd().split('\n')]),
    )
  })
}

const newcomer = {
  testResults: [
    file('a.test.ts', test('passed', 'one')),
    file('kafka.test.ts', test('passed', 'two'), test('skipped', 'three')),
  ],
}
const broker = { testResults: [file('kafka.test.ts', test('passed', 'two'), test('passed', 'three'))], flaky: [] }
const long = {
  testResults: [file('long.test.ts', test('failed', 'four'))],
  flaky: [{ name: 'other.test.ts', failed: ['five', 'six'] }],
}
const TOLD = [
  'failed: long long.test.ts four',
  '  why',
  'flaky (long): other.test.ts failed, and passed by itself: five; six',
  '2 passed, 1 failed, 0 skipped',
]

it.each<[string, Readonly<Record<string, unknown>>, number, number, readonly string[]]>([
  [
    'a test once that a newcomer skipped and that ran with a broker',
    { newcomer, broker },
    0,
    0,
    ['3 passed, 0 failed, 0 skipped'],
  ],
  ['a test as skipped that ran nowhere', { newcomer }, 0, 0, ['2 passed, 0 failed, 1 skipped']],
  ['what failed and what is flaky, by name', { broker, long }, 1, 1, TOLD],
  ['a step that failed and is no test', { broker }, 1, 1, ['2 passed, 1 failed, 0 skipped']],
  ['nothing as a failure', {}, 0, 1, ['0 passed, 0 failed, 0 skipped']],
])('counts %s', async (_, groups, failedSteps, code, lines) => {
  expect(await sumUp(groups, failedSteps)).toEqual([code, lines])
})
