import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runGroup } from './group.ts'
import type { Again, GroupRun } from './group.ts'
import { countsOf } from './results.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const root = ownFolder('test')

/** Runs `play(paths, times, write)` as a group's command: paths are those it got, times how often it was run before. */
async function run(
  play: string,
  again?: Again,
  only: string[] = [],
): Promise<GroupRun & { said: string[]; runs: string[][] }> {
  const program = `
    import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
    const options = process.argv.slice(2).filter((arg) => arg.startsWith('--'))
    const paths = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
    const times = existsSync('runs') ? readFileSync('runs', 'utf8').trim().split('\\n').length : 0
    appendFileSync('runs', JSON.stringify(paths) + '\\n')
    const json = options.find((option) => option.startsWith('--outputFile.json=')).split('=')[1]
    const test = (fullName, status) => ({ fullName, status })
    const write = (files, errors = []) => {
      const testResults = Object.entries(files).map(([name, tests]) => ({
        name: ${JSON.stringify(`${root}/`)} + name,
        message: '',
        status: tests.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
        assertionResults: tests,
      }))
      writeFileSync(json, JSON.stringify({ testResults }))
      writeFileSync(process.env.RESULTS_ERRORS, JSON.stringify(errors))
      const isFailed = errors.length > 0 || testResults.some(({ status }) => status === 'failed')
      process.exitCode = isFailed ? 1 : 0
    }
    ${play}`
  await writeFile(join(root, 'program.mjs'), program)
  const said: string[] = []
  const found = await runGroup({
    command: [process.execPath, join(root, 'program.mjs')],
    only,
    ...(again === undefined ? {} : { again }),
    root,
    say: (line) => said.push(line),
    signal: new AbortController().signal,
  })
  const runs = (await readFile(join(root, 'runs'), 'utf8')).trim().split('\n')
  return { ...found, said, runs: runs.map((line) => JSON.parse(line) as string[]) }
}

const FLAKY = `
  if (paths.length === 0) write({ 'a.test.ts': [test('one', 'passed')], 'b.test.ts': [test('two', 'failed'), test('three', 'passed')] })
  else write({ [paths[0]]: [test('two', 'passed'), test('three', 'passed')] })`

it('runs a failed file once more by itself, and goes on when it passes then', async () => {
  const { ok, results, flaky, said, runs } = await run(FLAKY, 'by file')
  expect({ ok, flaky }).toEqual({ ok: true, flaky: [{ name: 'b.test.ts', failed: ['two'] }] })
  expect(countsOf(results!)).toEqual({ passed: 3, failed: 0, skipped: 0 })
  expect(runs).toEqual([[], ['b.test.ts']])
  expect(said).toEqual(['── once more, by itself: b.test.ts'])
})

it('runs it by itself also where some files were chosen', async () => {
  const play = `
    const status = times === 0 ? 'failed' : 'passed'
    write(Object.fromEntries(paths.map((path) => [path, [test('one', path === 'b' ? status : 'passed')]])))`
  const { ok, results, runs } = await run(play, 'by file', ['a', 'b'])
  expect({ ok, runs }).toEqual({ ok: true, runs: [['a', 'b'], ['b']] })
  expect(countsOf(results!)).toEqual({ passed: 2, failed: 0, skipped: 0 })
})

it('runs nothing again unless it is to', async () => {
  const { ok, results, flaky, runs } = await run(FLAKY)
  expect({ ok, flaky, runs }).toEqual({ ok: false, flaky: [], runs: [[]] })
  expect(countsOf(results!)).toEqual({ passed: 2, failed: 1, skipped: 0 })
})

it('fails when one of several fails again', async () => {
  const play = `
    if (paths.length === 0) write({ a: [test('one', 'failed')], b: [test('two', 'failed')] })
    else write({ [paths[0]]: [test('again', paths[0] === 'a' ? 'failed' : 'passed')] })`
  const { ok, results, flaky } = await run(play, 'by file')
  expect({ ok, flaky }).toEqual({ ok: false, flaky: [{ name: 'b', failed: ['two'] }] })
  expect(countsOf(results!)).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

it('runs the whole command again where there are no files', async () => {
  const play = `write({ 'run.ts': [test('comes up', times === 0 ? 'failed' : 'passed')] })`
  const { ok, flaky, runs } = await run(play, 'whole')
  expect({ ok, flaky, runs }).toEqual({ ok: true, flaky: [{ name: 'run.ts', failed: ['comes up'] }], runs: [[], []] })
})

it.each([
  ['an error that is no test’s', `write({ a: [test('one', 'passed')] }, [{ message: 'nobody caught it' }])`],
  ['such an error beside a failed file', `write({ a: [test('one', 'failed')] }, [{ message: 'nobody caught it' }])`],
  ['a command that writes nothing', 'process.exitCode = 1'],
])('does not take %s for flaky', async (_, play) => {
  const { ok, flaky, runs } = await run(play, 'by file')
  expect({ ok, flaky, runs }).toEqual({ ok: false, flaky: [], runs: [[]] })
})

it('does not take a file for flaky that was not run again, whatever the command says', async () => {
  const { ok, flaky } = await run(`if (times === 0) write({ a: [test('one', 'failed')] })`, 'by file')
  expect({ ok, flaky }).toEqual({ ok: false, flaky: [] })
})

it('runs the file again during which an error came up that is no test’s', async () => {
  const play = `write({ a: [test('one', 'passed')] }, times === 0 ? [{ message: 'nobody caught it', file: ${JSON.stringify('ROOT')} }] : [])`
  const { ok, flaky } = await run(play.replace('ROOT', join(root, 'a')), 'by file')
  expect({ ok, flaky }).toEqual({ ok: true, flaky: [{ name: 'a', failed: ['nobody caught it'] }] })
})
