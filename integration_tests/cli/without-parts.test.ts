// The tests that need test parts on a machine that has none of them, and no Java: skipped, and none fails.

import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, readdir, readFile, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BROKER_FILES } from '../kafka/shared-broker.ts'

const HERE = new URL('../', import.meta.url).pathname
const VITEST = join(HERE, '../node_modules/vitest/vitest.mjs')

interface Results {
  readonly success: boolean
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[]
}

it('skips what needs them, of all files that get a broker', { timeout: 600_000 }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'without-parts-'))
  const bin = join(folder.path, 'bin')
  await mkdir(bin)
  await symlink(process.execPath, join(bin, 'node'))
  await symlink('/bin/sh', join(bin, 'sh'))
  const found = (await readdir(HERE, { recursive: true })).filter((name) => BROKER_FILES.test(join(HERE, name)))
  // of the promises one: what they try without a broker runs anyway, and all ask for one in the same way
  const files = found.filter((name) => !name.startsWith('promises/') || name === 'promises/bytes.test.ts')
  // with none, all tests would run, this one too
  expect(files.length).toBeGreaterThan(40)
  const output = join(folder.path, 'results.json')
  const projects = ['--project', 'integration', '--project', 'long']
  // what is looked at is what is skipped; the rest of these files is judged where it runs by itself
  const args = ['run', ...projects, '--retry=2', '--reporter=json', `--outputFile.json=${output}`]
  const env = { PATH: bin, HOME: folder.path, TMPDIR: tmpdir() }
  const paths = files.map((name) => `integration_tests/${name}`)
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [VITEST, ...args, ...paths], { env, maxBuffer: 2 ** 26 }, (_, stdout) => resolve(stdout))
  })
  const { success, testResults } = JSON.parse(await readFile(output, 'utf8')) as Results
  const failed = testResults.filter(({ status }) => status !== 'passed')
  expect(failed).toEqual([])
  expect(success).toBe(true)
  expect(testResults.length).toBe(files.length)
  // behind what the reporters say
  expect(said.trimEnd().split('\n').at(-1)).toMatch(
    /^\d+ tests skipped: they need a Kafka broker \(\d+\).*\. npm run fetch:test-parts && npm test runs them too \(needs .*Java 17.*Maven.*\)\.$/,
  )
})
