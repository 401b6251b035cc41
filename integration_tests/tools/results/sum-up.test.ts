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

it('counts a test once that a newcomer skipped and that ran with a broker', async () => {
  expect(await sumUp({ newcomer, broker }, 0)).toEqual([0, ['3 passed, 0 failed, 0 skipped']])
  expect(await sumUp({ newcomer }, 0)).toEqual([0, ['2 passed, 0 failed, 1 skipped']])
})

it('says what failed and then what is flaky, before the last line', async () => {
  const long = {
    testResults: [file('long.test.ts', test('failed', 'four'))],
    flaky: [{ name: 'other.test.ts', failed: ['five', 'six'] }],
  }
  expect(await sumUp({ broker, long }, 1)).toEqual([
    1,
    [
      'failed: long long.test.ts four',
      '  why',
      'flaky (long): other.test.ts failed, and passed by itself: five; six',
      '2 passed, 1 failed, 0 skipped',
    ],
  ])
})

it('fails for a step that is no test, and where nothing ran', async () => {
  expect(await sumUp({ broker }, 1)).toEqual([1, ['2 passed, 1 failed, 0 skipped']])
  expect(await sumUp({}, 0)).toEqual([1, ['0 passed, 0 failed, 0 skipped']])
})
