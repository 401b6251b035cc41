// `npm run flaky -- --times 5 [PATH …]`: runs the test files that wait for brokers or processes again and again, and lists
// what ever failed. The paths, or the beginnings of them, choose some of the files. Exit 1 when something failed.

import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { runGroup } from './group.ts'
import { everFailed } from './ever-failed.ts'
import { countsOf } from './results.ts'
import type { Results } from './results.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const COMMAND = [
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'integration',
  '--project',
  'long',
]

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
  const runs: Results[] = []
  const others: number[] = []
  for (let time = 1; time <= times && !stopped.signal.aborted; time++) {
    const from = performance.now()
    const { ok, results } = await runGroup({
      command: COMMAND,
      only: positionals,
      root: ROOT,
      say: (line) => console.log(line),
      signal: stopped.signal,
    })
    if (stopped.signal.aborted) break
    if (results !== undefined) runs.push(results)
    const { passed, failed, skipped } = countsOf(results ?? { testResults: [] })
    if (!ok && failed === 0) others.push(time)
    const files = results?.testResults.length ?? 0
    const seconds = Math.round((performance.now() - from) / 1000)
    console.log(
      `── ${time} of ${times}: ${files} files in ${seconds} s: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    )
  }
  const failures = everFailed(runs, ROOT)
  for (const line of failures) console.log(line)
  for (const time of others) console.log(`time ${time} failed without a failed test: what it said is above`)
  if (failures.length + others.length > 0 || runs.length === 0) process.exitCode = 1
  else console.log(`nothing failed in ${runs.length} of ${times} times`)
}
