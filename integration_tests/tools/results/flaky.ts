// `npm run flaky -- --times 5 [PATH …]`: runs the test files that wait for brokers or processes again and again, and lists
// what ever failed. The paths, or the beginnings of them, choose some of the files. Exit 1 when something failed.

import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { runGroup } from './group.ts'
import { countsOf, failedFiles, failuresOf } from './results.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROJECTS = ['--project', 'integration', '--project', 'long']
const COMMAND = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...PROJECTS]

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const { values, positionals } = parseArgs({
  options: { times: { type: 'string', default: '5' } },
  allowPositionals: true,
})
const times = Number(values.times)
if (!Number.isInteger(times) || times < 1) {
  console.error(`--times must be a whole number from 1, not "${values.times}".`)
  process.exitCode = 2
} else await main()

async function main(): Promise<void> {
  let ran = 0
  const failures: string[] = []
  for (let time = 1; time <= times && !stopped.signal.aborted; time++) {
    const from = performance.now()
    const { ok, results = { testResults: [] } } = await runGroup({
      command: COMMAND,
      only: positionals,
      root: ROOT,
      say: (line) => console.log(line),
      signal: stopped.signal,
    })
    if (stopped.signal.aborted) break
    ran++
    const { passed, failed, skipped } = countsOf(results)
    if (!ok && failed === 0) failures.push('no test, but the run itself: what it said is above')
    for (const file of failedFiles(results))
      failures.push(...failuresOf(file).map((what) => `${relative(ROOT, file.name)}: ${what}`))
    const seconds = Math.round((performance.now() - from) / 1000)
    console.log(
      `── ${time} of ${times}: ${results.testResults.length} files in ${seconds} s: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    )
  }
  const byCount = [...Map.groupBy(failures, (what) => what)].toSorted(([, a], [, b]) => b.length - a.length)
  for (const [what, { length }] of byCount) console.log(`failed ${length} of ${ran} times: ${what}`)
  if (failures.length > 0 || ran === 0) process.exitCode = 1
  else console.log(`nothing failed in ${ran} of ${times} times`)
}
