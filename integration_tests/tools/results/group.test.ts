import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runGroup, type Again } from './group.ts'
import { countsOf } from './results.ts'
import { ownFolder } from '../../../src/process/testing/own-folder.ts'

const root = ownFolder('test')

/** Runs the JavaScript `play` as a group's command: each file it got, or `a` and `b`, has one test; `times`: how often it ran before. */
const PROGRAM = `
  import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
  const [root, play, ...args] = process.argv.slice(2)
  const paths = args.filter((arg) => !arg.startsWith('--'))
  const times = existsSync('runs') ? readFileSync('runs', 'utf8').trim().split('\\n').length : 0
  appendFileSync('runs', JSON.stringify(paths) + '\\n')
  const json = args.find((arg) => arg.startsWith('--outputFile.json=')).split('=')[1]
  const write = (files, errors = []) => {
    const testResults = Object.entries(files).map(([name, status]) =>
      ({ name: root + '/' + name, message: '', status, assertionResults: [{ fullName: 'one', status }] }))
    writeFileSync(json, JSON.stringify({ testResults }))
    writeFileSync(process.env.RESULTS_ERRORS, JSON.stringify(errors))
    process.exitCode = errors.length > 0 || testResults.some(({ status }) => status === 'failed') ? 1 : 0
  }
  const once = times === 0 ? 'failed' : 'passed'
  const each = (status) => write(Object.fromEntries((paths.length > 0 ? paths : ['a', 'b']).map((path) => [path, status(path)])))
  new Function('write', 'each', 'times', 'once', 'root', play)(write, each, times, once, root)`

async function run(play: string, again: Again | undefined, only: string[] = []) {
  await writeFile(join(root, 'program.mjs'), PROGRAM)
  const said: string[] = []
  const { ok, flaky, results } = await runGroup({
    command: [process.execPath, join(root, 'program.mjs'), root, play],
    only,
    ...(again === undefined ? {} : { again }),
    root,
    say: (line) => said.push(line),
    signal: new AbortController().signal,
  })
  const runs = (await readFile(join(root, 'runs'), 'utf8')).trim().split('\n')
  const { passed = 0, failed = 0 } = results ? countsOf(results) : {}
  return {
    ok,
    flaky: flaky.map(({ name, failed: what }) => `${name}: ${what.join()}`),
    counts: [passed, failed],
    said,
    runs: runs.map((line) => JSON.parse(line) as string[]),
  }
}

const B_ONCE = "each((path) => (path === 'b' ? once : 'passed'))"

it('runs a failed file once more by itself, and goes on when it passes then', async () => {
  const flaky = { ok: true, flaky: ['b: one'], counts: [2, 0], said: ['── once more, by itself: b'] }
  expect(await run(B_ONCE, 'by file')).toEqual({ ...flaky, runs: [[], ['b']] })
})

it('runs it by itself also where some files were chosen', async () => {
  expect(await run(B_ONCE, 'by file', ['a', 'b'])).toMatchObject({
    ok: true,
    runs: [['a', 'b'], ['b']],
    counts: [2, 0],
  })
})

it('fails when one of several fails again', async () => {
  const play = "each((path) => (path === 'a' ? 'failed' : once))"
  expect(await run(play, 'by file')).toMatchObject({ ok: false, flaky: ['b: one'], counts: [1, 1] })
})

it('runs the whole command again where there are no files', async () => {
  expect(await run("write({ 'run.ts': once })", 'whole')).toMatchObject({
    ok: true,
    flaky: ['run.ts: one'],
    runs: [[], []],
  })
})

it('runs the file again during which an error came up that is no test’s', async () => {
  const play = "write({ a: 'passed' }, times === 0 ? [{ message: 'nobody caught it', file: root + '/a' }] : [])"
  expect(await run(play, 'by file')).toMatchObject({ ok: true, flaky: ['a: nobody caught it'] })
})

it.each<[string, string, Again | undefined]>([
  ['what is not to be run again', B_ONCE, undefined],
  ['an error that is no test’s', "write({ a: 'passed' }, [{ message: 'nobody caught it' }])", 'by file'],
  ['such an error beside a failed file', "write({ a: 'failed' }, [{ message: 'nobody caught it' }])", 'by file'],
  ['a command that writes nothing', 'process.exitCode = 1', 'by file'],
])('does not take %s for flaky', async (_, play, again) => {
  expect(await run(play, again)).toMatchObject({ ok: false, flaky: [], runs: [[]] })
})

it('does not take a file for flaky that was not run again, whatever the command says', async () => {
  expect(await run("if (times === 0) write({ a: 'failed' })", 'by file')).toMatchObject({ ok: false, flaky: [] })
})
