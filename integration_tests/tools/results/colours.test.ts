import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { AS_USER } from '../../cli/readme-commands.ts'

const run = promisify(execFile)
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', 'src/mapping/table-name.test.ts']

it.each([
  ['none where it is read by a program', {}, false],
  ['all of them where they are asked for', { FORCE_COLOR: '1' }, true],
])('Vitest prints colours: %s', async (_, asked, hasColours) => {
  const { NO_COLOR: _none, FORCE_COLOR: _forced, ...others }: NodeJS.ProcessEnv = AS_USER.env
  const env = { ...others, TERM: 'xterm', ...asked }
  const { stdout } = await run(process.execPath, VITEST, { ...AS_USER, env })
  expect(stdout).toContain('passed')
  expect(stdout.includes('\u001b[')).toBe(hasColours)
})
