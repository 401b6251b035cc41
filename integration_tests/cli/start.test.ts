// How the process starts and what it ends with where starting fails: in a working directory that was removed, and when something
// crashes before or beside the command.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { execute as run, MAIN, workFolder, type Executed } from '../connector.ts'

const START = fileURLToPath(new URL('../../src/start.js', import.meta.url))

/** A module that is loaded before the program. */
const before = (code: string): string[] => ['--import', `data:text/javascript,${encodeURIComponent(code)}`]

/** As a Node that is too old for this program, which hands over to the checkout's. */
const OLD = before(
  `Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}});process.execPath='/usr/bin/node'`,
)

it.each([
  ['this Node', []],
  ['an older one that hands over', OLD],
])('%s runs every command in a folder that was removed, with its own exit code', async (_, node) => {
  await using work = await workFolder()
  const config = await work.file('config.json', '{')
  const here = (...args: string[]): Promise<Executed> => {
    const code = 'mkdir -p "$GONE" && cd "$GONE" && rmdir "$GONE" && exec "$@"'
    return run('sh', ['-c', code, 'sh', process.execPath, ...node, START, ...args], { GONE: join(work.path, 'gone') })
  }
  expect(await here('--version')).toMatchObject({ code: 0, err: '' })
  expect(await here('nonsense')).toMatchObject({ code: 2, out: '' })
  expect((await here('spec')).out).toMatch(/^\{"type":"SPEC"/)
  expect((await here('check', '--config', config)).out).toContain('"status":"FAILED"')
  for (const args of [
    ['write', '--config', config, '--catalog', config],
    ['plan', '--config', config, '--catalog', config],
    ['stream', '--config', config],
    ['onboard', '--config', config],
  ]) {
    const { code, out, err } = await here(...args)
    expect([args[0], code]).toEqual([args[0], 1])
    expect(out + err).not.toContain('internal fault')
    expect(out + err).not.toBe('')
  }
  // what it would resolve against the folder is said to be missing
  expect((await here('plan', '--catalog', 'catalog.json')).code).toBe(1)
})

/** Something that listens for faults has just been set up: the first thing that can go wrong unseen. */
const atListening = (code: string): string[] =>
  before(`process.on('newListener', (name) => { if (name === 'unhandledRejection') { ${code} } })`)

it.each([
  ['an error while it starts', atListening(`throw new Error('planted')`)],
  ['an error outside of the command', atListening(`process.nextTick(() => { throw new Error('planted') })`)],
  ['a rejection nobody handles', atListening(`void Promise.reject(new Error('planted'))`)],
])('%s is exit code 1, whatever the command would say', async (_, node) => {
  for (const args of [['--version'], ['spec'], ['nonsense']]) {
    const { code, out } = await run(process.execPath, [...node, MAIN, ...args])
    expect([args, code]).toEqual([args, 1])
    expect(out).toContain('An internal fault of the connector stopped it (Error)')
  }
})
