// The bench as it is asked: options, wrong usage, what could not be measured, exit codes. Measures nothing.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'bench-command-test-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Ends with 3 whatever it is asked. */
const FAILING = join(directory, 'fails.mjs')
writeFileSync(FAILING, `console.error('why'); process.exitCode = 3`)

const bench = (...args: readonly string[]) => spawnSync(process.execPath, [RUN, ...args], { encoding: 'utf8' })

test('tells what it can be asked for', () => {
  const { status, stdout } = bench('--help', '--rounds', '0')
  expect(stdout).toMatch(/^npm run bench -- \[options\]\n  --only NAME .*: small-dedup, .*, spec\n/)
  expect(stdout.match(/^ {2}--\w+/gm)).toEqual(['  --only', '  --rounds', '  --quick', '  --program'])
  expect(status).toBe(0)
})

test.each([
  [['--only', 'spec', '--only', 'no-such'], /^--only no-such: there is no such scenario\nnpm run bench /],
  [['--rounds', '1.5'], /^--rounds takes a whole number from 1 on\n$/],
  [['--program', 'no-such.js'], /^no-such\.js is not there: npm run build makes dist\/main\.js\n$/],
])('%j is wrong usage', (args, said) => {
  const { status, stdout } = bench(...args)
  expect(stdout).toMatch(said)
  expect(status).toBe(2)
})

test.each([
  [[], 'medians of 5, 0 of 1 bars met, '],
  [['--quick'], 'medians of 1, too quick to judge, '],
  [['--quick', '--rounds', '3'], 'medians of 3, too quick to judge, '],
])('what cannot be measured fails, with %j', (args, judged) => {
  const { status, stdout, stderr } = bench('--only', 'spec', '--program', FAILING, ...args)
  expect(stderr).toMatch(/^spec: .*: exit code 3\nwhy\n/)
  expect(stdout).toContain('FAIL  spec  every record and STATE arrives  see above  complete\n')
  expect(stdout).toContain(judged)
  expect(status).toBe(1)
})
